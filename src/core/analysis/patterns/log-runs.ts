import type { FindingEvidence } from '../../../model/incident/finding.ts';
import type { LogFact } from '../../store/facts/reader.ts';
import { count } from './finding-text.ts';

const APART_NS = 600_000_000_000n;
const MOST_REFS = 20;
const LONGEST = 160;
export type LogRun = readonly [LogFact, ...LogFact[]];

/**
 * Log records with equal keys, each within ten minutes of the one before; a record with several of the texts counts once.
 * @param keyOf records with equal keys can share a run
 */
export function logRuns(
  facts: readonly LogFact[],
  keyOf: (one: LogFact) => unknown = ({ entity }) => entity,
): LogRun[] {
  const once = [...new Map(facts.map((one) => [one.ref, one])).values()];
  return [...Map.groupBy(once, keyOf).values()].flatMap((own) => {
    const runs: LogFact[][] = [];
    for (const one of own) {
      const open = runs.at(-1);
      const last = open?.at(-1);
      if (open && last && one.time_ns - last.time_ns <= APART_NS) open.push(one);
      else runs.push([one]);
    }
    return runs as unknown as LogRun[];
  });
}

export function logRunEvidence(run: LogRun): FindingEvidence {
  const [first] = run;
  const body = first.body.length > LONGEST ? `${first.body.slice(0, LONGEST)}...` : first.body;
  return {
    text: `log: ${body.replaceAll(/\s+/g, ' ')}${run.length > 1 ? ` (${count(run.length, 'time')})` : ''}`,
    refs: run.slice(0, MOST_REFS).map(({ ref }) => ref),
  };
}
