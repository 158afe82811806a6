import type { LateSliceFact } from '../../../store/facts/reader.ts';
import { binomialTail } from '../../software/significance.ts';

/** Shorter delays are scheduling noise; the rank lanes use the same value. */
const LATE_NS = 10_000_000;
const LEAST_SLICES = 5;
/** A rank that is last in turn with others is no straggler. */
const LEAST_SHARE = 0.5;
const CHANCE = 1e-4;
/** Share of the time; less is not worth action. */
const LEAST_LOSS = 0.02;
/** Slices without delay that do not end a time of delays. */
const MOST_PAUSE = 2n;

/** A time in which one rank of a group made the others wait, by metrics of waits or durations. */
export interface MeasuredStraggler {
  readonly group_name: string;
  readonly rank: string;
  readonly ranks: number;
  readonly is_wait: boolean;
  /** Canonical. */
  readonly entity: number;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Waits of one operation: of a usual rank, and of this one. */
  readonly usual_ns: number;
  readonly own_ns: number;
  readonly operations: number;
  /** What a usual rank waited for it, in sum. */
  readonly lost_s: number;
  /** The worst slices. */
  readonly worst: readonly LateSliceFact[];
}

const isLate = ({ usual_ns, least_ns }: LateSliceFact): boolean =>
  usual_ns - least_ns >= LATE_NS && least_ns < usual_ns / 2;

/** One for each rank and time; slices of a group are in order of time. */
export function measuredStragglers(slices: readonly LateSliceFact[]): MeasuredStraggler[] {
  const groups = Map.groupBy(slices, ({ group_id, metric }) => `${group_id}\n${metric}`);
  return [...groups.values()].flatMap((group) =>
    [...Map.groupBy(group.filter(isLate), ({ last_rank }) => last_rank).values()].flatMap((own) =>
      runs(own).flatMap((run) => toStraggler(run, group) ?? []),
    ),
  );
}

/** Late slices of one rank, parted where it was not late for a while. */
function runs(own: readonly LateSliceFact[]): LateSliceFact[][] {
  const all: LateSliceFact[][] = [];
  for (const slice of own) {
    const last = all.at(-1);
    if (last && slice.slice - last.at(-1)!.slice <= MOST_PAUSE + 1n) last.push(slice);
    else all.push([slice]);
  }
  return all;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function toStraggler(run: readonly LateSliceFact[], group: readonly LateSliceFact[]): MeasuredStraggler | undefined {
  const [first, last] = [run[0]!, run.at(-1)!];
  const during = group.filter(({ slice }) => slice >= first.slice && slice <= last.slice);
  const { slice_ns } = first;
  const lost_s = sum(run.map(({ usual_ns, least_ns, operations }) => (usual_ns - least_ns) * operations)) / 1e9;
  const time_s = (Number(last.slice - first.slice + 1n) * Number(slice_ns)) / 1e9;
  const isRepeated = run.length >= LEAST_SLICES && run.length >= LEAST_SHARE * during.length;
  if (!isRepeated || lost_s < LEAST_LOSS * time_s) return undefined;
  if (binomialTail(run.length, during.length, 1 / first.ranks) >= CHANCE) return undefined;
  const operations = sum(run.map((one) => one.operations));
  const mean = (of: (one: LateSliceFact) => number) => sum(run.map((one) => of(one) * one.operations)) / operations;
  return {
    group_name: first.group_name,
    rank: first.last_rank,
    ranks: Math.max(...run.map(({ ranks }) => ranks)),
    is_wait: first.is_wait,
    entity: first.entity,
    start_ns: first.slice * slice_ns,
    end_ns: (last.slice + 1n) * slice_ns,
    usual_ns: mean(({ usual_ns }) => usual_ns),
    own_ns: mean(({ least_ns }) => least_ns),
    operations,
    lost_s: Math.min(lost_s, time_s),
    worst: run.toSorted((a, b) => b.usual_ns - b.least_ns - (a.usual_ns - a.least_ns)).slice(0, 5),
  };
}
