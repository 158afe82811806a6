import type { TextColumn } from '../rows/rows.ts';

/** What a bound parameter may be. */
export type SqlValue = string | number | bigint | boolean | null;

/**
 * One answer, as columns. Numeric types without NULLs arrive as typed arrays where the engine has them;
 * everything else as plain arrays with null for NULL. BIGINT and wider arrive as bigint.
 */
export interface SqlResult {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly columns: readonly (readonly unknown[])[];
  readonly count: number;
}

/** The number in the first row of an answer's column: of queries that always answer one row, such as a count. */
export const firstNumber = ({ columns }: Pick<SqlResult, 'columns'>, column = 0): number =>
  columns[column]?.[0] as number;

/** A column ready to be copied into the database. */
export type AppendColumn =
  | { readonly type: 'u8'; readonly values: Uint8Array }
  | { readonly type: 'u32'; readonly values: Uint32Array }
  /** -1 is stored as NULL. */
  | { readonly type: 'code'; readonly values: Int32Array }
  | { readonly type: 'i32'; readonly values: Int32Array }
  | { readonly type: 'i64'; readonly values: BigInt64Array }
  | { readonly type: 'u64'; readonly values: BigUint64Array }
  /** NaN is stored as NULL. */
  | { readonly type: 'f64'; readonly values: Float64Array }
  /** An empty text is stored as NULL. */
  | { readonly type: 'text'; readonly values: TextColumn }
  /** The same number in every row. */
  | { readonly type: 'constant'; readonly value: number };

/** Rows of one table: columns in the table's order. */
export interface AppendRows {
  readonly columns: readonly AppendColumn[];
  readonly count: number;
  /** Called when every row has been copied: from then on the columns may be used for others. */
  readonly done?: () => void;
}

const widths = { u8: 1, u32: 4, code: 4, i32: 4, i64: 8, u64: 8, f64: 8, constant: 0 } as const;

/** What rows take in memory, bytes. */
export const bytesOf = ({ columns, count }: AppendRows): number =>
  columns.reduce(
    (sum, column) => sum + (column.type === 'text' ? column.values.bytes.length : widths[column.type] * count),
    0,
  );

/**
 * Rows on their way into a table while they are being made. The database asks from several of its threads, one after
 * another; `later` makes the one that asked wait a moment, `end` is the last answer. All rows have the same types.
 */
export interface RowFeed {
  readonly types: readonly AppendColumn['type'][];
  next(): AppendRows | 'later' | 'end';
}

export type ColumnShape = 'u8' | 'u32' | 'i32' | 'i64' | 'u64' | 'f64' | 'text';

/** Rows of an answer as columns that can be appended as they are. */
export interface ReadColumns {
  readonly count: number;
  readonly columns: Readonly<
    Record<string, Uint8Array | Uint32Array | Int32Array | BigInt64Array | BigUint64Array | Float64Array | TextColumn>
  >;
}

/** Metadata of a Parquet file, not yet verified. */
export interface ParquetFacts {
  /** Types as SQL writes them. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: number;
}

/** A Parquet file, and what of it is to be inserted. */
export interface LentFile {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  readonly select: string;
}

export interface FileWork {
  readonly signal: AbortSignal;
  /** Called with the share of the file that has been read, 0 to 1. */
  onShare(share: number): void;
}

/** One connection: its statements run one after another and share a transaction. */
export interface Session {
  /** Runs one statement and reads all of its answer. Aborting interrupts it and rejects with the signal's reason. */
  query(sql: string, values?: readonly SqlValue[], signal?: AbortSignal): Promise<SqlResult>;
  /**
   * An answer of many rows as raw columns, piece by piece; a piece's memory is used again for the next. NULL is an empty
   * text, or any number. Where the engine cannot go on (memory, a damaged file) the answer ends early without a word: its
   * rows have to be counted.
   */
  stream(sql: string, shape: Readonly<Record<string, ColumnShape>>): AsyncIterable<ReadColumns>;
  /** Runs a script of several statements; nothing is returned. */
  execute(script: string): Promise<void>;
  /** Appends `count` rows; `columns` in the table's order. Rows of less than a table's columns are a bug. */
  append(table: string, columns: readonly AppendColumn[], count: number): Promise<void>;
  /**
   * One INSERT that lasts until the feed ends, on the database's own threads; rows may be stored in another order.
   * Until it has settled nothing else may be asked of this session.
   */
  insert(table: string, feed: RowFeed, signal?: AbortSignal): Promise<void>;
  /** Exactly one read-only statement, else a ProblemError `sql.refused`. Sees no files and no network. */
  queryUntrusted(
    sql: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<SqlResult & { readonly truncated: boolean }>;
  /** The same statement's whole answer as one Parquet file (zstd). */
  queryParquet(sql: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Inserts the result of a SELECT over a Parquet file, which it reads as `in_file`: lent to the engine for this one statement,
   * wherever it lies. Rows may be stored in another order.
   * @returns how many they are
   * @throws ProblemError parquet.damaged, parquet.too_large
   */
  insertFile(table: string, file: LentFile, work: FileWork): Promise<number>;
  /** Reads the footer of a Parquet file that this engine may see. */
  describeParquet(path: string): Promise<ParquetFacts>;
  /**
   * Appends the rows of such a file. `columns`: its columns, in the order of the table's.
   * @param limits more text than this, and more than a thousand times the file, is believed of no file
   * @throws ProblemError bundle.too_large
   */
  insertParquet(
    table: string,
    file: { readonly path: string; readonly columns: readonly { readonly name: string; readonly type: string }[] },
    limits: { readonly mostTextBytes: number; readonly signal?: AbortSignal | undefined },
  ): Promise<void>;
  close(): void;
}

/** An open database. Native on the desktop, WebAssembly in the viewer; core never knows which. */
export interface Engine {
  /**
   * The one folder outside itself that its SQL may read and write; nothing is there but while a bundle is written or read.
   * Left out where there are no files.
   */
  readonly exchange?: string;
  session(): Promise<Session>;
  /**
   * While a capture runs: statements of people run in a process of their own then, however large the case is. Left out where
   * they always run beside everything else.
   */
  shield?(isOn: boolean): void;
  /**
   * Moves what the write-ahead log holds into the file, so that the next opening is quick: as soon as there is no other writer. Where there is
   * no room for it, or others go on writing, it is left to the next one.
   */
  checkpoint(): Promise<void>;
  /**
   * Whether the log is moved by {@link checkpointLongLog} and `checkpoint` alone, so that a disk that fills up ends no more than a transaction.
   * Left out where no disk fills up.
   */
  setManualCheckpoints?(isOn: boolean): Promise<void>;
  /** Moves it where it is long, there is room, and there is no other writer. */
  checkpointLongLog?(): Promise<void>;
  close(): Promise<void>;
}
