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

/** A file being read: its format is known, its rows arrive as they are decoded. */
export interface OpenedSource {
  readonly format: string;
  readonly batches: AsyncIterable<{
    readonly batch: RowBatch /** Of the file as it lies on disk. */;
    readonly bytes_done: number;
  }>;
  /** Ends the reading, finished or not; to be called in any case. */
  close(): Promise<void>;
  /** Settles after the last batch. */
  readonly end: Promise<{ readonly sha256: string; readonly bytes: number }>;
}

/** How the core gets rows out of files without knowing files, threads or formats. */
export interface SourceReader {
  readonly formats: readonly { readonly id: string; readonly title: string }[];
  /**
   * @param as a format id, or null to decide by content
   * @throws ProblemError file.unreadable, file.unknown_format, file.empty, or what the format's reader says
   */
  open(path: string, as: string | null, signal: AbortSignal): Promise<OpenedSource>;
}
