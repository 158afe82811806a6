import type { ProcessMinuteFact } from '../../../store/facts/reader.ts';
import type { CaseFacts } from '../case-facts.ts';
import { count, lengthText, nameList } from '../finding-text.ts';
import { lacks, type Sign } from '../pattern.ts';
import { trainingPatterns } from './parameters.ts';

/** What PyTorch calls the processes and threads of a DataLoader (torch.utils.data, from version 2.8). */
export const LOADER_PROCESS = '^pt_data_|data_?loader';
const MINUTE_NS = 60_000_000_000n;
/** Processes that call CUDA hardly ever while the data loader of their machine works, by counts of each minute. */
export function starvedProcesses(facts: CaseFacts): Sign[] {
  const minutes = facts.rows.processMinutes;
  const loaders = Map.groupBy(
    minutes.filter(({ is_loader, switches }) => is_loader && switches > 0),
    ({ entity, time_ns }) => `${facts.machineOf(entity, time_ns)} ${time_ns}`,
  );
  const begun = new Set<number>();
  const starved = minutes.filter(({ is_loader, cuda, entity, time_ns }) => {
    const busy = loaders.get(`${facts.machineOf(entity, time_ns)} ${time_ns}`) ?? [];
    const switches = busy.reduce((sum, one) => sum + one.switches, 0);
    // Before its first operations a program starts, which takes its time.
    const isUnderWay = begun.has(entity);
    if (cuda > 0) begun.add(entity);
    return (
      isUnderWay && !is_loader && cuda < trainingPatterns.mostOperations && switches >= trainingPatterns.leastSwitches
    );
  });
  const runs = [...Map.groupBy(starved, ({ entity }) => entity).values()].flatMap(runsOf);
  return runs.map((own) => {
    const { entity } = own[0]!;
    const start_ns = own[0]!.time_ns;
    const end_ns = own.at(-1)!.time_ns + MINUTE_NS;
    const busy = own.flatMap(({ time_ns }) => loaders.get(`${facts.machineOf(entity, time_ns)} ${time_ns}`) ?? []);
    const workers = [...new Set(busy.map((one) => facts.name(one.entity)))];
    const operations = own.reduce((sum, { cuda }) => sum + cuda, 0);
    return {
      headline: `${facts.name(entity)} called ${count(operations, 'CUDA operation')} in ${lengthText(own.length * 60)} in which ${count(workers.length, 'process', 'processes')} of its data loader worked.`,
      severity: 'medium',
      start_ns,
      end_ns,
      entities: [entity],
      evidence: [
        { text: `CUDA operations of ${facts.name(entity)}, each minute`, refs: own.slice(0, 20).map(({ ref }) => ref) },
        {
          text: `${nameList(workers)}: ${busy.reduce((sum, { switches }) => sum + switches, 0)} context switches`,
          refs: busy.slice(0, 20).map(({ ref }) => ref),
        },
      ],
      missing: lacks(false, 'traces', 'no training steps and loads: share of a step unknown'),
    };
  });
}

/** Minutes one after another, with at most one between two of them. */
function runsOf(minutes: readonly ProcessMinuteFact[]): ProcessMinuteFact[][] {
  const runs: ProcessMinuteFact[][] = [];
  for (const minute of minutes) {
    const open = runs.at(-1);
    if (open && minute.time_ns - open.at(-1)!.time_ns <= 2n * MINUTE_NS) open.push(minute);
    else runs.push([minute]);
  }
  return runs;
}
