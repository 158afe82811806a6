import { withEither } from '../../../base/with-either.ts';
import { type Problem, ProblemError } from '../../../model/problem.ts';
import type { ArchiveQuery, TimeWindow } from '../../../model/storage/archive.ts';
import type { FetchedSlice } from '../../../model/storage/fetched-slice.ts';

export interface Slice {
  readonly query: ArchiveQuery;
  readonly window: TimeWindow;
  /** How often what it is of was cut in two. */
  readonly cuts: number;
}

/** An archive that never answers must not be asked for ever shorter slices: down to a sixteenth. */
const MOST_CUTS_OF_SLOW = 4;

export interface FetchOutcome {
  readonly slice: Slice;
  readonly fetched: FetchedSlice | Problem;
}

export const isFetched = (outcome: FetchedSlice | Problem): outcome is FetchedSlice => 'files' in outcome;

interface Cut {
  readonly halves: readonly Slice[];
}

/**
 * Slices as they are fetched, at most `parallel` under way or waiting for the consumer, which discards them. One that is too large, or
 * for which the archive is too slow, is cut in two, whose halves come next.
 *
 * @param onCut called when one slice has become two
 */
export async function* fetchSlices(
  slices: readonly Slice[],
  parallel: number,
  signal: AbortSignal,
  onCut: () => void,
): AsyncGenerator<FetchOutcome, void, void> {
  const queue = slices.toReversed();
  const running = new Map<Slice, Promise<FetchOutcome | Cut>>();
  const ended = new AbortController();
  try {
    while (queue.length > 0 || running.size > 0) {
      while (queue.length > 0 && running.size < parallel) {
        const slice = queue.pop()!;
        running.set(
          slice,
          withEither([signal, ended.signal], (either) => fetchOne(slice, either)),
        );
      }
      const { slice, outcome } = await Promise.race(
        [...running].map(async ([slice, work]) => ({ slice, outcome: await work })),
      );
      running.delete(slice);
      if ('slice' in outcome) yield outcome;
      else {
        queue.push(...outcome.halves.toReversed());
        onCut();
      }
    }
  } finally {
    ended.abort(new Error('ended'));
    for (const left of await Promise.allSettled(running.values()))
      if (left.status === 'fulfilled' && 'slice' in left.value && isFetched(left.value.fetched))
        await left.value.fetched.discard();
  }
}

async function fetchOne(slice: Slice, signal: AbortSignal): Promise<FetchOutcome | Cut> {
  try {
    return { slice, fetched: await slice.query.fetch(slice.window, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProblemError)) throw error;
    const { problem } = error;
    const mayCut =
      problem.code === 'archive.slice_too_large' ||
      (problem.code === 'archive.too_slow' && slice.cuts < MOST_CUTS_OF_SLOW);
    return (mayCut && cutInTwo(slice)) || { slice, fetched: problem };
  }
}

/** undefined: it is as short as the query allows. */
function cutInTwo({ query, window: { from_ns, until_ns }, cuts }: Slice): Cut | undefined {
  const half = (until_ns - from_ns) / 2n;
  const middle = from_ns + half - (half % query.grain_ns);
  if (middle === from_ns) return undefined;
  const windows = [
    { from_ns, until_ns: middle },
    { from_ns: middle, until_ns },
  ];
  return { halves: windows.map((window) => ({ query, window, cuts: cuts + 1 })) };
}
