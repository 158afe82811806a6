import type { StragglerSliceFact } from '../../../store/facts/reader.ts';
import { binomialTail } from '../../software/significance.ts';
import { trainingPatterns } from './parameters.ts';

/** A time in which one member of a group of peers was unlike the others, by metrics of waits or durations. */
export interface MeasuredStraggler {
  /** Its first slice. */
  readonly first: StragglerSliceFact;
  readonly ranks: number;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Mean of one operation: of a usual member, and of this one. */
  readonly usual_ns: number;
  readonly own_ns: number;
  readonly operations: number;
  /** What a usual rank waited for it, or what it spent more than a usual one, in sum. */
  readonly lost_s: number;
  /** The worst slices. */
  readonly worst: readonly StragglerSliceFact[];
}

const isUnlike = ({ usual_ns, own_ns, is_longer }: StragglerSliceFact): boolean =>
  is_longer
    ? own_ns >= trainingPatterns.longerTimes * usual_ns
    : usual_ns - own_ns >= 1e9 * trainingPatterns.lateSeconds && own_ns < usual_ns / 2;
/** Ranks are of one job; other peers may have other work, and then differ from the beginning. */
const isComparable = ({ is_longer, rank, usual_slices }: StragglerSliceFact): boolean =>
  !is_longer || rank !== '' || usual_slices >= trainingPatterns.lastTimes;

/** One for each member and time; slices of a group are in order of time. */
export function measuredStragglers(slices: readonly StragglerSliceFact[]): MeasuredStraggler[] {
  const groups = Map.groupBy(slices, ({ group_id, metric }) => `${group_id}\n${metric}`);
  return [...groups.values()].flatMap((group) =>
    [...Map.groupBy(group.filter(isUnlike).filter(isComparable), ({ member }) => member).values()].flatMap((own) =>
      runs(own).flatMap((run) => toStraggler(run, group) ?? []),
    ),
  );
}

/** Slices in which one member is unlike the others, parted where it was not for a while. */
function runs(own: readonly StragglerSliceFact[]): StragglerSliceFact[][] {
  const all: StragglerSliceFact[][] = [];
  for (const slice of own) {
    const last = all.at(-1);
    if (last && Number(slice.slice - last.at(-1)!.slice) <= trainingPatterns.pauseSlices + 1) last.push(slice);
    else all.push([slice]);
  }
  return all;
}

const gapOf = ({ usual_ns, own_ns }: StragglerSliceFact): number => Math.abs(usual_ns - own_ns);
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function toStraggler(
  run: readonly StragglerSliceFact[],
  group: readonly StragglerSliceFact[],
): MeasuredStraggler | undefined {
  const [first, last] = [run[0]!, run.at(-1)!];
  const during = new Set(group.map(({ slice }) => slice).filter((slice) => slice >= first.slice && slice <= last.slice))
    .size;
  const { slice_ns } = first;
  const lost_s = sum(run.map((one) => gapOf(one) * one.operations)) / 1e9;
  const time_s = (Number(last.slice - first.slice + 1n) * Number(slice_ns)) / 1e9;
  const isRepeated = run.length >= trainingPatterns.lastTimes && run.length >= trainingPatterns.lastShare * during;
  if (!isRepeated || lost_s < trainingPatterns.lostShare * time_s) return undefined;
  // One rank is always last into a collective, none always takes much longer.
  if (!first.is_longer && binomialTail(run.length, during, 1 / first.ranks) >= trainingPatterns.lastChance)
    return undefined;
  const operations = sum(run.map((one) => one.operations));
  const mean = (of: (one: StragglerSliceFact) => number) =>
    sum(run.map((one) => of(one) * one.operations)) / operations;
  return {
    first,
    ranks: Math.max(...run.map(({ ranks }) => ranks)),
    start_ns: first.slice * slice_ns,
    end_ns: (last.slice + 1n) * slice_ns,
    usual_ns: mean(({ usual_ns }) => usual_ns),
    own_ns: mean(({ own_ns }) => own_ns),
    operations,
    lost_s: Math.min(lost_s, time_s),
    worst: run.toSorted((a, b) => gapOf(b) - gapOf(a)).slice(0, 5),
  };
}
