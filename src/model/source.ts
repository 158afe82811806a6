import type { RowBatch } from './rows.ts';

/** Where a decoder gets its bytes: already decompressed, in pieces of any size. */
export interface SourceInput {
  /** For rejects and messages; never decides the format. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * One file format. `detect` looks at content only: the first bytes (up to {@link DETECT_BYTES}, decompressed,
 * possibly cut mid-token) decide, so a renamed file imports the same.
 */
export interface Source {
  /** Stable id, used by `--as`: `otlp-json`. */
  readonly id: string;
  /** For people: "OTLP JSON (traces, metrics, logs)". */
  readonly title: string;
  /** What `detect` searches for, quoted when a file is refused. */
  readonly looks_for: string;
  detect(head: Uint8Array): boolean;
  /** Bytes to rows. Bad rows become `reject` rows; only a file that is not this format at all throws a ProblemError. */
  read(input: SourceInput): AsyncIterable<RowBatch>;
}

export const DETECT_BYTES = 65_536;
/** Rows per batch: large enough to amortise a thread crossing, small enough to bound memory (see bench/). */
export const BATCH_ROWS = 20_480;
