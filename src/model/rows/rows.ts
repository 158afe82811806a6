import type { Alias, EntityKind } from '../entity.ts';
import type { StatedPlace } from '../telemetry/place-attributes.ts';

/**
 * The border between importers and the store: what a decoder may emit, as columns.
 *
 * Numbers travel as typed arrays so that a batch crosses a worker border by transfer and enters DuckDB by
 * memcpy; text travels as one UTF-8 buffer with offsets, so that no JavaScript string is made on the way.
 * `name`, `entity`, `resource` and `series` columns hold indexes into the batch's own lists (-1: none);
 * the store replaces them by the case's numbers. The `.sql` tables carry the same columns in the same order.
 */
export const tables = {
  span: {
    trace_hi: 'u64',
    trace_lo: 'u64',
    span_id: 'u64',
    parent_id: 'u64',
    start_ns: 'i64',
    end_ns: 'i64',
    name: 'name',
    service: 'entity',
    resource: 'resource',
    scope: 'name',
    kind: 'u8',
    status: 'u8',
    flags: 'u32',
    trace_state: 'text',
    status_message: 'text',
    attributes: 'text',
    dropped: 'u32',
  },
  span_event: {
    trace_hi: 'u64',
    trace_lo: 'u64',
    span_id: 'u64',
    time_ns: 'i64',
    name: 'name',
    attributes: 'text',
  },
  span_link: {
    trace_hi: 'u64',
    trace_lo: 'u64',
    span_id: 'u64',
    linked_trace_hi: 'u64',
    linked_trace_lo: 'u64',
    linked_span_id: 'u64',
    trace_state: 'text',
    attributes: 'text',
  },
  /** Gauges and sums. `value` is NaN if the producer sent "no recorded value": a gap, not zero. */
  point: { series: 'series', start_ns: 'i64', time_ns: 'i64', value: 'f64' },
  /** Histograms, exponential histograms and summaries; `detail` is JSON whose shape depends on `series.kind`. */
  distribution: {
    series: 'series',
    start_ns: 'i64',
    time_ns: 'i64',
    count: 'f64',
    sum: 'f64',
    min: 'f64',
    max: 'f64',
    detail: 'text',
  },
  exemplar: {
    series: 'series',
    time_ns: 'i64',
    value: 'f64',
    trace_hi: 'u64',
    trace_lo: 'u64',
    span_id: 'u64',
    attributes: 'text',
  },
  log: {
    time_ns: 'i64',
    observed_ns: 'i64',
    severity: 'u8',
    severity_text: 'name',
    event_name: 'name',
    resource: 'resource',
    scope: 'name',
    trace_hi: 'u64',
    trace_lo: 'u64',
    span_id: 'u64',
    flags: 'u32',
    body: 'text',
    attributes: 'text',
    dropped: 'u32',
  },
  /** Something that happened to an entity at an instant. `details` is what it states, typed (event-details.ts); `raw` is the record as it was found. */
  event: {
    original_id: 'text',
    time_ns: 'i64',
    entity: 'entity',
    origin: 'name',
    type: 'name',
    severity: 'u8',
    message: 'text',
    attributes: 'text',
    raw: 'text',
    details: 'text',
  },
  /**
   * One collective operation as one rank saw it (NCCL Flight Recorder entries, NCCL kernels of a profile).
   * Times are 0 where the recording has none.
   */
  collective: {
    rank: 'entity',
    /** The process group's id, and what it is for. */
    group_id: 'name',
    group_name: 'name',
    /** Ranks that take part, as the recording lists them: `0,1,2`; NULL when it does not. */
    group_ranks: 'name',
    /** Per group: of collectives, of point-to-point operations; -1 where not given. */
    sequence: 'i64',
    p2p_sequence: 'i64',
    /** `all_reduce`, `send 0->3`: without the backend's prefix. */
    operation: 'name',
    /** scheduled, started, completed. */
    state: 'name',
    created_ns: 'i64',
    started_ns: 'i64',
    completed_ns: 'i64',
    /** Element type and the sizes of inputs and outputs as JSON lists. */
    dtype: 'name',
    input_sizes: 'text',
    output_sizes: 'text',
    /** JSON: everything else, such as stack frames, timeout, backend, thread. */
    attributes: 'text',
  },
  edge: {
    from_entity: 'entity',
    kind: 'name',
    to_entity: 'entity',
    valid_from_ns: 'i64',
    valid_to_ns: 'i64',
    provenance: 'name',
  },
  /** A row that could not be read: skipped, counted, listed. `at` is a byte offset or a record number. */
  reject: { file: 'text', at: 'i64', reason: 'text', excerpt: 'text' },
} as const satisfies Record<string, Readonly<Record<string, ColumnType>>>;

export type ColumnType = 'u8' | 'u32' | 'i64' | 'u64' | 'f64' | 'text' | 'name' | 'entity' | 'resource' | 'series';
export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as readonly TableName[];

/** UTF-8 text of row i is `bytes[offsets[i] .. offsets[i + 1])`; an empty range is NULL. */
export interface TextColumn {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

export interface ColumnValues {
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
  readonly f64: Float64Array;
  readonly text: TextColumn;
  readonly name: Int32Array;
  readonly entity: Int32Array;
  readonly resource: Int32Array;
  readonly series: Int32Array;
}

export type Columns<T extends TableName> = {
  readonly [C in keyof (typeof tables)[T]]: ColumnValues[(typeof tables)[T][C] & ColumnType];
};

export interface TableRows<T extends TableName = TableName> {
  readonly count: number;
  readonly columns: Columns<T>;
}

export interface EntityRow {
  readonly kind: EntityKind;
  readonly id: string;
  readonly aliases: readonly Alias[];
  /** JSON object text, or '' when nothing more is known. */
  readonly attributes: string;
}

export interface ResourceRow {
  /** Index into `entities` of the service, else of the entity of the resource; -1: none. */
  readonly entity: number;
  readonly attributes: string;
  readonly schema_url: string;
}

export const seriesKinds = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'] as const;
export type SeriesKind = (typeof seriesKinds)[number];

export interface SeriesRow {
  readonly metric: string;
  readonly kind: SeriesKind;
  /** Index into `entities`; -1: belongs to nothing that has a name. */
  readonly entity: number;
  readonly resource: number;
  readonly unit: string;
  readonly description: string;
  /** OTLP: 0 unspecified, 1 delta, 2 cumulative. */
  readonly temporality: 0 | 1 | 2;
  readonly monotonic: boolean;
  readonly attributes: string;
}

/**
 * Rows of a Parquet file that the database reads by itself, those that need no second look. SQL reads the file as
 * `in_file`, with `file_row_number`, and each dictionary as a table of its own.
 */
export interface RowsInFile {
  readonly table: 'span' | 'log' | 'point';
  /** On this machine; never leaves the main process. */
  readonly path: string;
  /** Of the source, for messages. */
  readonly name: string;
  readonly bytes: number;
  /** Of the file, whether they are selected or not. */
  readonly rows: number;
  /** SELECT of the table's columns in their order, with the ids of the case for dictionary entries. */
  readonly select: string;
  readonly dictionaries: readonly FileDictionary[];
}

/** Different values of some columns of a file, and what each of them is as columns of ours. */
export interface FileDictionary {
  /** Of its table in SQL. */
  readonly name: string;
  readonly count: number;
  /** Values in the file, as text, by a name in SQL; NULL if missing. */
  readonly members: Readonly<Record<string, TextColumn>>;
  readonly codes: Readonly<Record<string, Int32Array>>;
}

export interface RowBatch {
  /**
   * '': the lists hold all that the columns mention. Otherwise they go on from those of the batches before with this
   * numbering, and columns count from the first of these on.
   */
  readonly numbering: string;
  readonly names: readonly string[];
  readonly entities: readonly EntityRow[];
  readonly resources: readonly ResourceRow[];
  readonly series: readonly SeriesRow[];
  readonly tables: { readonly [T in TableName]?: TableRows<T> };
  /** Rows that come after those of `tables`. */
  readonly file?: RowsInFile;
  /** The different places that the log records name in their own attributes; absent: they are to be read from the rows. */
  readonly log_places?: readonly StatedPlace[];
  /** What the reader had to assume or leave out, for people; equal texts count once per source. */
  readonly remarks: readonly string[];
  /** Input bytes consumed up to and including this batch, for progress. */
  readonly consumed_bytes: number;
}

/** Open ends of an edge's validity. */
export const ALWAYS_FROM = -(2n ** 63n);
export const ALWAYS_TO = 2n ** 63n - 1n;

export const rowCount = (batch: RowBatch): number =>
  Object.entries(batch.tables).reduce((sum, [name, table]) => (name === 'reject' ? sum : sum + table.count), 0);
