import type { ColumnShape } from '../../../model/engine.ts';
import type { TableName } from '../../../model/rows.ts';
import type { ColumnMapping } from '../../../model/source.ts';
import type { Output } from '../otlp/output.ts';
import { kindCode, statusCode } from './span-row.ts';
import { seriesOf } from './table-rows.ts';
import { resourceText, textOf } from './values.ts';

/** Different values of some columns of the mapped table, by column. */
export type Entry = Readonly<Record<string, unknown>>;

/** How rows that need no second look become ours; all SQL is over the mapped table, `m`. */
export interface PlainTable {
  readonly name: TableName;
  /** Everything of the mapped table that is mentioned here; what a file does not have is NULL. */
  readonly columns: readonly string[];
  /** Our columns as SQL over the mapped table; what is NULL makes its row one that is not plain. */
  readonly values: Readonly<Record<string, { readonly shape: ColumnShape; readonly sql: string }>>;
  /**
   * Whether a row is plain, over the mapped table with the values as `our_NAME`. Everything that the row by row reader would refuse
   * or take apart is not.
   */
  readonly plain: string;
  /** Columns with few different values, which are looked at once each. */
  readonly dictionaries: Readonly<Record<string, readonly string[]>>;
  /** What an entry of a dictionary is in the present batch: values of our columns. */
  enter(out: Output, dictionary: string, entry: Entry): Readonly<Record<string, number>>;
}

const value = (shape: ColumnShape, sql: string) => ({ shape, sql });
const text = (column: string) => value('text', `coalesce(m.${column}, '')`);
const zero = (shape: ColumnShape) => value(shape, { u8: '0::utinyint', u32: '0::uinteger' }[shape as 'u8' | 'u32']);
/** Attributes as one JSON object without gaps are kept as they are. */
const attributes = value('text', "case m.attributes when '{}' then '' else coalesce(m.attributes, '') end");
const plainAttributes =
  "(m.attributes is null or (m.attributes[1:1] = '{' and not contains(m.attributes, ':null') and json_valid(m.attributes)))";

const bits = (column: string, from: number): string =>
  `try_cast(('0x' || m.${column}[${from}:${from + 15}]) as ubigint)`;
const id = (column: string, from = 1) => value('u64', bits(column, from));
const isAbsent = (column: string): string => `(m.${column} is null or m.${column} = '')`;
/** Where an id may be absent it is 0 then. */
const idOrNone = (column: string, from = 1) =>
  value('u64', `case when ${isAbsent(column)} then 0::ubigint else ${bits(column, from)} end`);
/** Its value is a number in hex; of so many digits it is an id, and a cast would let an underscore pass. */
const isId = (column: string, digits: 16 | 32): string =>
  `(length(m.${column}) = ${digits} and not contains(m.${column}, '_'))`;
const isEmptyList = (column: string): string => `(m.${column} is null or m.${column} = '[]')`;
const end = 'case when m.duration is not null then m.start + m.duration else coalesce(nullif(m."end", 0), m.start) end';
/** Half of what 64 bits count: sums of two stay in range. */
const SMALL = String(2n ** 61n);

const origin = ['service', 'resource_attributes', 'scope', 'scope_version'];
function enterOrigin(out: Output, entry: Entry): void {
  out.enterResource(resourceText(entry), '');
  out.enterScope(textOf(entry.scope), textOf(entry.scope_version), '');
}

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
    'events',
    'links',
  ],
  plain: [
    '(m.our_trace_hi <> 0 or m.our_trace_lo <> 0) and m.our_span_id <> 0',
    isId('trace_id', 32),
    isId('span_id', 16),
    `(${isAbsent('parent_span_id')} or ${isId('parent_span_id', 16)})`,
    `m.start between 1 and ${SMALL}`,
    `coalesce(m.duration, 0) between 0 and ${SMALL}`,
    `coalesce(m."end", 0) between 0 and ${SMALL}`,
    isEmptyList('events'),
    isEmptyList('links'),
    plainAttributes,
  ].join(' and '),
  values: {
    trace_hi: id('trace_id'),
    trace_lo: id('trace_id', 17),
    span_id: id('span_id'),
    parent_id: idOrNone('parent_span_id'),
    start_ns: value('i64', 'm.start'),
    end_ns: value('i64', end),
    trace_state: text('trace_state'),
    status_message: text('status_message'),
    attributes,
    flags: zero('u32'),
    dropped: zero('u32'),
  },
  dictionaries: { origin, name: ['name'], nature: ['kind', 'status'] },
  enter: (out, dictionary, entry) => {
    if (dictionary === 'name') return { name: out.batch.name(textOf(entry.name)) };
    if (dictionary === 'nature') return { kind: kindCode(entry.kind), status: statusCode(entry.status) };
    enterOrigin(out, entry);
    return { service: out.serviceCode, resource: out.resourceCode, scope: out.scopeCode };
  },
};

const log: PlainTable = {
  name: 'log',
  columns: ['time', 'observed_time', 'severity', 'trace_id', 'span_id', 'body', 'attributes'],
  plain: [
    `(${isAbsent('trace_id')} or ${isId('trace_id', 32)})`,
    `(${isAbsent('span_id')} or ${isId('span_id', 16)})`,
    plainAttributes,
  ].join(' and '),
  values: {
    time_ns: value('i64', 'coalesce(nullif(m.time, 0), nullif(m.observed_time, 0))'),
    observed_ns: value('i64', 'coalesce(m.observed_time, 0)'),
    severity: value(
      'u8',
      'case when m.severity between 0 and 24 then trunc(m.severity)::utinyint else 0::utinyint end',
    ),
    trace_hi: idOrNone('trace_id'),
    trace_lo: idOrNone('trace_id', 17),
    span_id: idOrNone('span_id'),
    body: text('body'),
    attributes,
    flags: zero('u32'),
    dropped: zero('u32'),
  },
  dictionaries: { origin, severity_text: ['severity_text'], event_name: ['event_name'] },
  enter: (out, dictionary, entry) => {
    if (dictionary === 'severity_text') return { severity_text: out.batch.name(textOf(entry.severity_text)) };
    if (dictionary === 'event_name') return { event_name: out.batch.name(textOf(entry.event_name)) };
    enterOrigin(out, entry);
    return { resource: out.resourceCode, scope: out.scopeCode };
  },
};

/** Samples of gauges and sums; histograms are taken row by row. */
const metric: PlainTable = {
  name: 'point',
  columns: ['metric', 'time', 'start', 'value'],
  plain: "m.metric <> '' and m.time <> 0",
  values: {
    start_ns: value('i64', 'coalesce(m.start, 0)'),
    time_ns: value('i64', 'm.time'),
    value: value('f64', 'm.value'),
  },
  dictionaries: {
    series: [
      ...origin,
      'metric',
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
    enterOrigin(out, entry);
    return { series: seriesOf(out, entry, false) };
  },
};

export const plainTables: Readonly<Partial<Record<ColumnMapping['table'], PlainTable>>> = { span, log, metric };
