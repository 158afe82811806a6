import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { Feed, FeedSink, FeedState } from '../../src/model/storage/feed.ts';
import { addBatch, emptyReading, type GrowingReading } from './read-source.ts';

export interface FeedRun {
  readonly reading: GrowingReading;
  readonly states: readonly { readonly state: FeedState; readonly reason: string }[];
  /** Time without reception, per reported state. */
  readonly silences: readonly number[];
  readonly clocks: readonly (readonly [offset_ns: bigint, uncertainty_ns: bigint])[];
  readonly lost: () => number;
  /** Time without polls, per report. */
  readonly missed: readonly number[];
  /** While true nothing is kept. */
  isFull: boolean;
  /** Settles when this holds. @throws when it does not within so long */
  until(holds: (run: FeedRun) => boolean, patience_ms?: number): Promise<void>;
}

export const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Runs a feed without a case for as long as something is done, every batch checked; what it throws is thrown. */
export async function runFeed(feed: Feed, whileRunning: (run: FeedRun) => Promise<void>): Promise<FeedRun> {
  const stop = new AbortController();
  const states: { state: FeedState; reason: string }[] = [];
  const silences: number[] = [];
  const clocks: [bigint, bigint][] = [];
  const missed: number[] = [];
  let lost = 0;
  let failure: { readonly error: unknown } | null = null;
  const run: FeedRun = {
    reading: emptyReading(),
    states,
    silences,
    clocks,
    lost: () => lost,
    missed,
    isFull: false,
    until: async (holds, patience_ms = 10_000) => {
      const end = Date.now() + patience_ms;
      while (!holds(run)) {
        if (failure) throw failure.error;
        if (Date.now() > end) throw new Error(`it did not happen; states: ${JSON.stringify(states)}`);
        await pause(20);
      }
    },
  };
  const sink: FeedSink = {
    take: (batches: readonly RowBatch[]) => {
      if (run.isFull) return false;
      for (const batch of batches) addBatch(run.reading, batch);
      return true;
    },
    reportState: (state, reason, silent_ms = 0) => {
      silences.push(silent_ms);
      states.push({ state, reason });
    },
    lost: (records) => {
      lost += records;
    },
    missed: (late_ms) => missed.push(late_ms),
    clock: (offset, uncertainty) => clocks.push([offset, uncertainty]),
  };
  const running = feed.run(sink, stop.signal).catch((error: unknown) => {
    failure = { error };
  });
  try {
    await whileRunning(run);
  } finally {
    stop.abort();
    await running;
  }
  const failed = failure as { readonly error: unknown } | null;
  if (failed) throw failed.error;
  return run;
}
