import type { ColumnShape } from '../../../model/engine.ts';
import type { TableName } from '../../../model/rows.ts';
import type { ColumnMapping } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { originColumns, originOf, statedOriginOf, subjectColumns } from './origin.ts';
import { kindCode, statusCode } from './span-row.ts';
import { seriesOf } from './table-rows.ts';
import { textOf } from './values.ts';

/** Different values of some columns of the mapped table, by column. */
export type Entry = Readonly<Record<string, unknown>>;

/** How rows that need no second look become ours; all SQL is over the mapped table, `m`. */
export interface PlainTable {
  readonly name: TableName;
  /** Everything of the mapped table that is mentioned here; what a file does not have is NULL. */
  readonly columns: readonly string[];
  /** Our columns as SQL over the mapped table; what is NULL makes its row one that is not plain. */
  readonly values: Readonly<Record<string, { readonly shape: ColumnShape; readonly sql: string }>>;
  /** Ids as hexadecimal text: the columns of ours that one fills, 64 bits each, and whether it may be absent. */
  readonly ids: Readonly<Record<string, { readonly into: readonly string[]; readonly optional: boolean }>>;
  /** Whether a row is plain but for its ids. Everything that the row by row reader would refuse or take apart is not. */
  readonly plain: string;
  /** Columns with few different values, which are looked at once each. */
  readonly dictionaries: Readonly<Record<string, readonly string[]>>;
  /** What an entry of a dictionary is in the present batch: values of our columns. */
  enter(out: Output, dictionary: string, entry: Entry): Readonly<Record<string, number>>;
}

const value = (shape: ColumnShape, sql: string) => ({ shape, sql });
const text = (column: string) => value('text', `coalesce(m.${column}, '')`);
/** 32 bits; anything else is 0. */
const count = (column: string) => value('u32', `coalesce(try_cast(trunc(m.${column}) as uinteger), 0::uinteger)`);
/** Attributes as one JSON object without gaps are kept as they are. */
const attributes = value('text', "case m.attributes when '{}' then '' else coalesce(m.attributes, '') end");
const plainAttributes =
  "(m.attributes is null or (starts_with(m.attributes, '{') and not contains(m.attributes, ':null') and json_valid(m.attributes)))";

const isEmptyList = (column: string): string => `(m.${column} is null or m.${column} = '[]')`;
const end =
  'case when m.duration is not null then try(m.start + m.duration) else coalesce(nullif(m."end", 0), m.start) end';
/** Half of what 64 bits count: sums of two stay in range. */
const SMALL = String(2n ** 61n);

const origin = [...originColumns, ...subjectColumns];

const span: PlainTable = {
  name: 'span',
  columns: [
    'trace_id',
    'span_id',
    'parent_span_id',
    'start',
    'end',
    'duration',
    'trace_state',
    'status_message',
    'attributes',
    'flags',
    'dropped',
    'events',
    'links',
  ],
  plain: [
    `m.start between 1 and ${SMALL}`,
    `coalesce(m.duration, 0) between 0 and ${SMALL}`,
    `coalesce(m."end", 0) between 0 and ${SMALL}`,
    isEmptyList('events'),
    isEmptyList('links'),
    plainAttributes,
  ].join(' and '),
  ids: {
    trace_id: { into: ['trace_hi', 'trace_lo'], optional: false },
    span_id: { into: ['span_id'], optional: false },
    parent_span_id: { into: ['parent_id'], optional: true },
  },
  values: {
    start_ns: value('i64', 'm.start'),
    end_ns: value('i64', end),
    trace_state: text('trace_state'),
    status_message: text('status_message'),
    attributes,
    flags: count('flags'),
    dropped: count('dropped'),
  },
  dictionaries: { origin, name: ['name'], nature: ['kind', 'status'] },
  enter: (out, dictionary, entry) => {
    if (dictionary === 'name') return { name: out.batch.name(textOf(entry.name)) };
    if (dictionary === 'nature') return { kind: kindCode(entry.kind), status: statusCode(entry.status) };
    return { ...statedOriginOf(out, entry) };
  },
};

const log: PlainTable = {
  name: 'log',
  columns: ['time', 'observed_time', 'severity', 'trace_id', 'span_id', 'body', 'attributes', 'flags', 'dropped'],
  plain: plainAttributes,
  ids: {
    trace_id: { into: ['trace_hi', 'trace_lo'], optional: true },
    span_id: { into: ['span_id'], optional: true },
  },
  values: {
    time_ns: value('i64', 'coalesce(nullif(m.time, 0), nullif(m.observed_time, 0))'),
    observed_ns: value('i64', 'coalesce(m.observed_time, 0)'),
    severity: value(
      'u8',
      'case when m.severity between 0 and 24 then trunc(m.severity)::utinyint else 0::utinyint end',
    ),
    body: text('body'),
    attributes,
    flags: count('flags'),
    dropped: count('dropped'),
  },
  dictionaries: { origin, severity_text: ['severity_text'], event_name: ['event_name'] },
  enter: (out, dictionary, entry) => {
    if (dictionary === 'severity_text') return { severity_text: out.batch.name(textOf(entry.severity_text)) };
    if (dictionary === 'event_name') return { event_name: out.batch.name(textOf(entry.event_name)) };
    const { resource, scope } = statedOriginOf(out, entry);
    return { resource, scope };
  },
};

/** Samples of gauges and sums; histograms are taken row by row. */
const metric: PlainTable = {
  name: 'point',
  columns: ['metric', 'time', 'start', 'value', 'kind'],
  plain:
    "m.metric <> '' and m.time <> 0 and coalesce(m.kind, '') not in ('histogram', 'exponential_histogram', 'summary')",
  ids: {},
  values: {
    start_ns: value('i64', 'coalesce(m.start, 0)'),
    time_ns: value('i64', 'm.time'),
    value: value('f64', 'm.value'),
  },
  dictionaries: {
    series: [
      ...originColumns,
      'metric',
      'kind',
      'unit',
      'description',
      'monotonic',
      'temporality',
      'entity_kind',
      'entity',
      'attributes',
    ],
  },
  enter: (out, _, entry) => {
    originOf(out, entry);
    return { series: seriesOf(out, { ...entry, value: 0 }) };
  },
};

export const plainTables: Readonly<Partial<Record<ColumnMapping['table'], PlainTable>>> = { span, log, metric };
