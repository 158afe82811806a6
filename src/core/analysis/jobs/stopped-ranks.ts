import { nanoseconds } from '../../../model/time.ts';
import { impact } from '../impact/parameters.ts';
import { median } from '../statistics.ts';
import type { JobRank, WaitedRank } from './job.ts';
import { most } from './job-members.ts';
import { jobs } from './parameters.ts';

/** Of fewer ranks nothing shows which one is the exception. */
const LEAST_RANKS = 3;

interface LastStep {
  readonly rank: JobRank;
  readonly row: number;
  readonly last_ns: bigint;
  /** null: steps have no numbers. */
  readonly step: number | null;
}

/**
 * A few ranks of which no step is recorded any more, while most others went on: they ended, hang, or lost their telemetry. It is no stall:
 * where ranks wait for each other, none of them goes on.
 */
export function stoppedRanks(ranks: readonly JobRank[], usual_s: number | null): WaitedRank[] {
  const known = ranks.flatMap((rank, row): LastStep[] => {
    const last_ns = most(rank.processes.map((process) => process.last_ns));
    const steps = rank.processes.flatMap(({ last_step }) => last_step ?? []);
    return last_ns === null ? [] : [{ rank, row, last_ns, step: steps.length === 0 ? null : Math.max(...steps) }];
  });
  if (known.length < LEAST_RANKS) return [];
  const apart_ns = nanoseconds(Math.max(impact.leastStallSeconds, jobs.quietSteps * (usual_s ?? 0)));
  const first_ns = known[0]!.last_ns;
  const usual_ns = first_ns + BigInt(Math.round(median(known.map(({ last_ns }) => Number(last_ns - first_ns)))));
  const [stopped, others] = [
    known.filter(({ last_ns }) => usual_ns - last_ns > apart_ns),
    known.filter(({ last_ns }) => usual_ns - last_ns <= apart_ns),
  ];
  if (stopped.length > 1 + impact.slowRankShare * (known.length - 1)) return [];
  const to_ns = most(others.map(({ last_ns }) => last_ns)) ?? usual_ns;
  const reached = others.flatMap(({ step }) => step ?? []);
  return stopped.map(
    ({ rank, row, last_ns, step }): WaitedRank => ({
      row,
      entityKey: rank.entityKey,
      name: rank.name,
      runsOn: rank.runsOn,
      kind: 'stopped',
      text: '',
      waiting: [],
      late: null,
      operations: null,
      lost_s: null,
      times: null,
      own_step: step,
      others_step: reached.length === 0 ? null : Math.max(...reached),
      from_ns: last_ns,
      to_ns,
      refs: [],
    }),
  );
}
