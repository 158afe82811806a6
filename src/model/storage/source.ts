import type { Problem } from '../problem.ts';
import { parseJsonPrefix } from '../rows/json-prefix.ts';
import type { RowBatch } from '../rows/rows.ts';
import type { ReadDetails } from '../telemetry/event-details.ts';
import type { StatedPlace } from '../telemetry/place-attributes.ts';
import type { Nanos } from '../time.ts';
import type { Engine } from './engine.ts';

/** What a file starts with, decompressed and possibly cut mid-token; every view of it is made once. */
export class FileHead {
  readonly bytes: Uint8Array;
  private cachedText: string | undefined;
  private cachedJson: { readonly value: unknown } | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** As UTF-8 without byte order mark. */
  get text(): string {
    this.cachedText ??= new TextDecoder().decode(this.bytes).replace(/^\uFEFF/, '');
    return this.cachedText;
  }

  /** The first JSON value as far as it can be seen (open containers are closed); undefined when this is no JSON. */
  get json(): unknown {
    this.cachedJson ??= { value: parseJsonPrefix(this.text) };
    return this.cachedJson.value;
  }

  /** The first JSON value when it is an object, else {}. */
  get object(): Readonly<Record<string, unknown>> {
    const { json } = this;
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : {};
  }
}

/** Where a time that a file does not state comes from. */
export type CaptureBasis = 'given' | 'file name' | 'file time';

/** Metadata from the investigator or the file's surroundings that the file itself lacks. */
export interface Assumptions {
  /** Zone of times written without one: `UTC`, `+02:00`, `Europe/Berlin`; null: unknown, read as UTC with a remark. */
  readonly zone: string | null;
  /** The machine or device that a file without a name in it is about; null: unknown. */
  readonly device: string | null;
  /** For tables whose columns have no meaning known to Faultline: which column is what. */
  readonly mapping: ColumnMapping | null;
  /** Order of day, month and year in dates of numbers (`05/01/2026`); absent or null: unknown, guessed with a remark. */
  readonly date_order?: DateOrder | null | undefined;
  /** Year of the first time of a file whose times have none; absent or null: the last one before the file was recorded. */
  readonly year?: number | null | undefined;
}

export const dateOrders = ['year-first', 'month-first', 'day-first'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** One way to read the first time of a file that leaves open what it means. */
export interface TimeReading {
  /** What to assume for it; null: nothing. */
  readonly date_order: DateOrder | null;
  readonly year: number | null;
  /** The time so read, as its clock showed it: `2026-05-01 14:04:18`. */
  readonly clock: string;
}

/** What one file leaves open, as its first lines show. */
export interface LeftOpen {
  readonly missing: readonly MissingMetadata[];
  /** The first line whose time can be read in several ways, and these, the guess first; '' and none: there is no such line. */
  readonly line: string;
  readonly readings: readonly TimeReading[];
}

/**
 * Which column of a foreign table is which of ours. `unit` is the unit of a bare number (`ns`, `us`, `ms`, `s`),
 * for times since 1970 and for durations.
 */
export interface ColumnMapping {
  readonly table: 'span' | 'log' | 'metric' | 'event' | 'edge';
  readonly columns: Readonly<Record<string, { readonly column: string; readonly unit?: TimeUnit | undefined }>>;
}
export const timeUnits = ['ns', 'us', 'ms', 's'] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** What a table offers to a mapping. */
export interface TableColumns {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** null: unknown table, it needs a mapping. */
  readonly mapping: ColumnMapping | null;
  /** What can be mapped to, by table; required ones first. */
  readonly targets: Readonly<Record<string, readonly { readonly name: string; readonly required: boolean }[]>>;
}

/** What a format may leave unsaid: the zone of its times, when it was recorded, which device it is about. */
export type MissingMetadata = 'zone' | 'time' | 'device';

export interface FormatInfo {
  readonly id: string;
  readonly title: string;
  readonly leaves_open: readonly MissingMetadata[];
  /** Its files are tables whose columns can be mapped. */
  readonly has_columns: boolean;
}

/** One file of a source: decompressed bytes, as often as asked for. */
export interface SourceFile {
  /** With `/`, relative to the root of the source; the bare name when there is only one. Never decides alone. */
  readonly path: string;
  /** As it lies on disk or in its archive, possibly compressed. */
  readonly bytes: number;
  /** When the state in a file was recorded, for formats without it. */
  readonly captured_ns: Nanos;
  readonly captured_from: CaptureBasis;
  open(): AsyncIterable<Uint8Array>;
  /** A path to the decompressed content on disk, for libraries that read files themselves; gone after the reading. */
  onDisk(): Promise<string>;
}

/** Where a decoder gets its bytes: already decompressed, in pieces of any size. */
export interface SourceInput {
  /** For rejects and messages; never decides the format. */
  readonly name: string;
  /** The first file's bytes, once; what formats of a single file read. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * When `chunks` are only a piece of the file ({@link Source.borders}): where it lies, and what the file starts with. Of a file
   * that is followed, when the piece was read: the time of its first lines, where these have none.
   */
  readonly piece?: { readonly offset: number; readonly head: Uint8Array; readonly read_ns?: bigint };
  /** At least one; several only for formats with {@link Source.gather}. Sorted by path. */
  readonly files: readonly SourceFile[];
  readonly assume: Assumptions;
  /** For readers that number once what they mention, over all pieces that one thread reads of a file. */
  readonly memory?: ReaderMemory;
  /**
   * Where rows of files can be left to the case's own engine ({@link RowBatch.file}): how many of those in the last batch it
   * has taken, once it has. Absent: every row is wanted as columns.
   */
  readonly taken?: () => Promise<number>;
  /** An in-memory database that sees these paths (from `onDisk`) and nothing else; to be closed by the reader. */
  database(paths: readonly string[]): Promise<Engine>;
}

export interface ReaderMemory {
  /** For a {@link BatchBuilder}. */
  readonly numbering: string;
  /** What the reader wants to find again in the next piece. */
  readerState?: unknown;
}

/** Follows a stream and knows where a reader could start afresh, as if a file began there. */
export interface RecordBorders {
  /** The last border in the next chunk of the stream, as an index from 0 to its length; -1: there is none. */
  lastIn(chunk: Uint8Array): number;
}

/** How a format that lies scattered over many files is gathered into one source. */
export interface Gather {
  /** Files recognised only by their place in a tree, such as sysfs attributes that hold one number. */
  readonly owns?: (path: string) => boolean;
  /** Files of this format with equal roots are one source. `path` is relative to what the user dropped. */
  root(path: string, head: FileHead): string;
  /**
   * What a file is within its tree. Files that are all the same part are of as many trees: a dump per machine in one folder.
   */
  part?(head: FileHead): string;
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
  detect(head: FileHead): boolean;
  readonly gather?: Gather;
  /**
   * For files of many records that do not need each other: several threads then share one file. undefined: this file,
   * which starts like that, cannot be cut. Rows must not depend on where it is cut, nor may rejects but in their text.
   */
  borders?(head: Uint8Array): RecordBorders | undefined;
  /** Metadata often missing in this format; prompted before reading. */
  readonly leaves_open?: readonly MissingMetadata[];
  /** Which of these this very file lacks, which starts like that. Absent: all of them. */
  leftOpen?(head: FileHead, captured_ns: bigint): LeftOpen;
  /** For tables: their columns, and their default meaning. */
  columns?(input: SourceInput): Promise<TableColumns>;
  /** Bytes to rows. Bad rows become `reject` rows; only a file that is not this format at all throws a ProblemError. */
  read(input: SourceInput): AsyncIterable<RowBatch>;
}

export const DETECT_BYTES = 65_536;
/** Rows per batch: large enough to amortise a thread crossing, small enough to bound memory (see bench/). */
export const BATCH_ROWS = 20_480;

/** Something the user named: a file, a folder, an archive. */
export interface DroppedPath {
  /** Where it lies on this machine; never leaves the main process. */
  readonly path: string;
  readonly name: string;
}

/** A file that can be read, whether it was dropped itself or came out of a folder or an archive. */
export interface FoundFile {
  /** For people and for formats that are trees: relative to what was dropped, with `/`. */
  readonly path: string;
  /** Where its bytes lie on this machine; never leaves the main process. */
  readonly location: string;
  readonly bytes: number;
  readonly captured_ns: bigint;
  readonly captured_from: CaptureBasis;
}

/** What one file, or several that belong together, turned out to be. */
export interface FoundSource {
  readonly name: string;
  /** null: not recognised, or not readable; `problem` is the reason. */
  readonly format: string | null;
  readonly files: readonly FoundFile[];
  /** Of formats that can see it in a file. */
  readonly left_open?: LeftOpen;
  /** The user asked for this very file, so that not knowing it is a failure; a stranger inside a folder is not. */
  readonly named: boolean;
  readonly problem?: Problem;
}

export interface InspectProgress {
  readonly files: number;
  readonly path: string;
}

/** What was dropped, looked at; `close` removes what was unpacked for it. */
export interface Inspection {
  readonly sources: readonly FoundSource[];
  close(): Promise<void>;
}

/** How to read a found source; the investigator may have corrected every guess. */
export interface ReadOrder {
  readonly name: string;
  readonly format: string;
  readonly files: readonly FoundFile[];
  readonly assume: Assumptions;
}

/** A source being read: its rows arrive as they are decoded. */
export interface OpenedSource {
  readonly batches: AsyncIterable<{
    readonly batch: RowBatch;
    /** Of the files as they lie on disk. */
    readonly bytes_done: number;
    /**
     * To be called when the batch's columns are no longer used; their memory is reused.
     * @param taken how many rows of its file there were
     */
    release(taken: number): void;
  }>;
  /** Ends the reading, finished or not; to be called in any case. */
  close(): Promise<void>;
  /** Settles after the last batch. The hash is of the file, or of all paths and files of a tree. */
  readonly end: Promise<{ readonly digest: string; readonly bytes: number }>;
}

/** How the core gets rows out of files without knowing files, threads or formats. */
export interface SourceReader {
  readonly formats: readonly FormatInfo[];
  /** Looks into files, folders and archives; problems are part of the answer. */
  inspect(
    dropped: readonly DroppedPath[],
    onProgress: (progress: InspectProgress) => void,
    signal: AbortSignal,
  ): Promise<Inspection>;
  /** @throws ProblemError when the file is damaged, or of a format without columns */
  columns(order: ReadOrder, signal: AbortSignal): Promise<TableColumns>;
  /** @throws ProblemError if the file is not of this format */
  open(order: ReadOrder, signal: AbortSignal): Promise<OpenedSource>;
  /** What an event states beside its type, of cases that were written before importers kept it. */
  readonly details: ReadDetails;
  /** Texts of which one is in the body of each log record that states an event, but for Kubernetes events in attributes. */
  readonly eventMarks: readonly string[];
  /** Entities and links of the places that spans and log records name in their own attributes. */
  readonly places: ReadPlaces;
}

export type ReadPlaces = (places: readonly StatedPlace[]) => RowBatch;
