import type { ClockLevelFact } from '../../../store/facts/reader.ts';
import { workOf } from '../../gpus/gpu-workloads.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts } from '../case-facts.ts';
import { eventLines } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { trainingPatterns } from './parameters.ts';

export const clockStraggler: Pattern = {
  id: 'clock-straggler',
  detect: (facts) => {
    const jobOf = jobs(facts);
    const groups = Map.groupBy(
      facts.rows.clocks.filter(({ busy }) => busy === null || busy >= trainingPatterns.busyPercent),
      ({ entity }) => jobOf(entity),
    );
    return [...groups].flatMap(([job, levels]) => (job === null ? [] : (toSign(facts, job, levels) ?? [])));
  },
};

/** The job of a GPU; its machine if the job is unknown; null for services, which do not wait for peers. */
function jobs(facts: CaseFacts): (gpu: number) => string | null {
  const { last_ns, clocks, slice_ns } = facts.rows;
  const start_ns = clocks.reduce((first, { slice }) => (slice * slice_ns < first ? slice * slice_ns : first), last_ns);
  const usedBy = workOf(facts.rows, { start_ns, end_ns: last_ns });
  const known = new Map<number, string | null>();
  return (gpu) => {
    if (!known.has(gpu)) {
      const work = usedBy(gpu);
      const job = work.find((one) => one.startsWith('job:'));
      known.set(gpu, job ?? (work.length > 0 ? null : `machine:${facts.machineOf(gpu, last_ns)}`));
    }
    return known.get(gpu) ?? null;
  };
}

interface Slow {
  readonly level: ClockLevelFact;
  readonly normal: number;
}

function toSign(facts: CaseFacts, job: string, levels: readonly ClockLevelFact[]): Sign | undefined {
  const slow = [...Map.groupBy(levels, ({ slice }) => slice).values()].flatMap(slowOnes);
  const byGpu = [...Map.groupBy(slow, ({ level }) => level.entity).values()].filter(
    (own) => own.length >= trainingPatterns.clockSlices,
  );
  const all = byGpu.flat();
  const [first] = all;
  if (!first) return undefined;
  const { slice_ns } = facts.rows;
  const times = all.map(({ level }) => level.sample_ns).sort((a, b) => (a < b ? -1 : 1));
  const start_ns = times[0]!;
  const end_ns = times.at(-1)! + slice_ns;
  const gpus = [...new Set(all.map(({ level }) => level.entity))];
  const others = new Set(levels.map(({ entity }) => entity)).size - gpus.length;
  const reasons = facts
    .of('thermal_throttle', 'power_brake', 'hw_slowdown', 'power_cap_applied', 'clocks_limited')
    .filter(({ entity, time_ns }) => gpus.includes(entity) && time_ns >= start_ns - slice_ns && time_ns <= end_ns);
  const isJob = job.startsWith('job:');
  const of = isJob ? ` of ${job.slice('job:'.length)}` : '';
  const worst = byGpu.map(
    (own) =>
      `${facts.name(own[0]!.level.entity)} at ${Math.round(median(own.map(({ level }) => level.clock_mhz)))} MHz`,
  );
  return {
    headline: `${nameList(worst)} while the ${count(others, 'other GPU')}${of} ran at ${Math.round(median(all.map(({ normal }) => normal)))} MHz${isJob ? ': a synchronous job goes as fast as its slowest' : ''}.`,
    severity: isJob ? 'high' : 'medium',
    start_ns,
    end_ns,
    entities: gpus,
    evidence: [
      ...byGpu.map((own) => ({
        text: `${facts.name(own[0]!.level.entity)}: SM clock below its peers'`,
        refs: own.slice(0, 10).map(({ level }) => `metric:${level.series_id}@${level.sample_ns}`),
      })),
      ...eventLines(reasons),
    ],
    missing: [
      ...lacks(isJob, 'topology', 'job of these GPUs unknown'),
      ...lacks(
        facts.rows.entities.some(({ kind }) => kind === 'rank'),
        'collectives',
        'no collectives: wait of the others unknown',
      ),
    ],
  };
}

/** GPUs well below all their peers in one slice of time. */
function slowOnes(levels: readonly ClockLevelFact[]): Slow[] {
  if (levels.length < trainingPatterns.clockGpus) return [];
  const normal = median(levels.map(({ clock_mhz }) => clock_mhz));
  const slow = levels.filter(({ clock_mhz }) => clock_mhz < trainingPatterns.slowClockShare * normal);
  const isRest = levels.every(
    (level) => slow.includes(level) || level.clock_mhz >= trainingPatterns.alikeClockShare * normal,
  );
  return isRest && slow.length <= Math.max(1, trainingPatterns.slowGpusShare * levels.length)
    ? slow.map((level) => ({ level, normal: normal }))
    : [];
}
