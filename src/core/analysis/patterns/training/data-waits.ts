import type { LoadSliceFact } from '../../../store/facts/reader.ts';
import { trainingPatterns } from './parameters.ts';

/** A thread of a process in a training loop. */
export interface LoopProcess {
  readonly entity: number;
  readonly rank: string;
  readonly place: string;
  readonly job: string;
  readonly measured: LoadSliceFact['measured'];
  readonly slices: readonly LoadSliceFact[];
}

/** A time in which a process waited for input. */
export interface DataWait {
  readonly process: LoopProcess;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly measured: LoadSliceFact['measured'];
  readonly steps: number;
  readonly time_s: number;
  readonly load_s: number;
  /** Share of its time that it waited before, or after if nothing is before; undefined: unknown, it always waited. */
  readonly otherwise: number | undefined;
  readonly refs: readonly string[];
}

export const loopProcesses = (slices: readonly LoadSliceFact[]): LoopProcess[] =>
  [...Map.groupBy(slices, ({ thread, measured }) => `${measured} ${thread}`).values()].map((own) => ({
    ...own[0]!,
    slices: own,
  }));

/** Times of one process, in order. */
export function dataWaits(process: LoopProcess): DataWait[] {
  const recorded_s = sums(process.slices).time_s;
  return runs(process.slices).flatMap((run) => {
    const own = process.slices.slice(run.from, run.to + 1);
    const [first, last] = [own[0]!, own.at(-1)!];
    const { steps, stalled, time_s, load_s } = sums(own);
    const longest_s = Math.max(...own.map((slice) => slice.longest_s));
    const isRepeated =
      stalled - 1 >= trainingPatterns.stalledSteps &&
      load_s - longest_s >= trainingPatterns.stalledShare * Math.max(1e-9, time_s - longest_s);
    if (!isRepeated || load_s < Math.min(trainingPatterns.lostSeconds, trainingPatterns.lostShare * recorded_s))
      return [];
    const before = process.slices.slice(0, run.from);
    const others = before.length > 0 ? before : process.slices.slice(run.to + 1);
    return {
      process,
      start_ns: first.start_ns,
      end_ns: own.reduce((end, slice) => (slice.end_ns > end ? slice.end_ns : end), last.end_ns),
      measured: first.measured,
      steps,
      time_s,
      load_s,
      otherwise: sums(others).steps > trainingPatterns.stalledSteps ? shareOf(others) : undefined,
      refs: own
        .toSorted((a, b) => b.longest_s - a.longest_s)
        .slice(0, 5)
        .map(({ ref }) => ref)
        .filter((ref) => ref !== ''),
    };
  });
}

/** Share of their time that processes waited between two times; undefined: nothing was recorded then. */
export const shareBetween = (processes: readonly LoopProcess[], from_ns: bigint, to_ns: bigint): number | undefined =>
  shareOf(
    processes.flatMap(({ slices }) => slices.filter(({ start_ns, end_ns }) => start_ns < to_ns && end_ns > from_ns)),
  );

function shareOf(slices: readonly LoadSliceFact[]): number | undefined {
  const { time_s, load_s } = sums(slices);
  return time_s > 0 ? load_s / time_s : undefined;
}

const sums = (slices: readonly LoadSliceFact[]) =>
  slices.reduce(
    (sum, { steps, stalled, time_s, load_s }) => ({
      steps: sum.steps + steps,
      stalled: sum.stalled + stalled,
      time_s: sum.time_s + time_s,
      load_s: sum.load_s + load_s,
    }),
    { steps: 0, stalled: 0, time_s: 0, load_s: 0 },
  );

/** Slices that stall, with at most a few steps between them. */
function runs(slices: readonly LoadSliceFact[]): { readonly from: number; readonly to: number }[] {
  const all: { from: number; to: number }[] = [];
  let pause = 0;
  for (const [at, { load_s, time_s, steps }] of slices.entries()) {
    if (load_s < trainingPatterns.stalledShare * time_s) {
      pause += steps;
      continue;
    }
    const open = all.at(-1);
    if (open && pause <= trainingPatterns.pauseSteps) open.to = at;
    else all.push({ from: at, to: at });
    pause = 0;
  }
  return all;
}
