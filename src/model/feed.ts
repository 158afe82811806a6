import type { Problem } from './problem.ts';
import type { RowBatch } from './rows.ts';

/** Where a live feed puts what it gets. */
export interface FeedSink {
  /** Keeps batches until they are written; false: there is no room, none is kept, and who sent them must be told to wait. */
  take(batches: readonly RowBatch[]): boolean;
  /** From now on the feed gets nothing, and why; or it does again. A gap is a gap, never zeros. */
  say(state: FeedState, reason: string): void;
  /** So many records are known to be gone for good. */
  lost(records: number, reason: string): void;
}
export type FeedState = 'up' | 'down';

/** One thing that is asked, or listens, for as long as a capture lasts. */
export interface Feed {
  /** What its rows come from, as Sources shows it: `OTLP receiver`. */
  readonly name: string;
  readonly format: string;
  /** For people: `grpc 127.0.0.1:4317, http 127.0.0.1:4318`. Known once `run` has told `up`. */
  readonly about: string;
  /** Settles when it is told to stop. @throws ProblemError when it cannot even begin */
  run(sink: FeedSink, signal: AbortSignal): Promise<void>;
}

/** How the core gets at live feeds without knowing protocols, sockets or plans. */
export interface Feeds {
  /** Reads a plan; nothing is asked yet. @throws ProblemError plan.invalid */
  open(plan: string): Promise<readonly Feed[]>;
  /** Settles after so long, or at once when the signal says stop. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** What a feed came to, for the end of a capture. */
export interface FeedOutcome {
  readonly name: string;
  readonly rows: number;
  readonly lost: number;
  readonly problem: Problem | null;
}
