import type { RowsInFile } from '../../../model/rows/rows.ts';
import type { ColumnMapping } from '../../../model/storage/source.ts';
import type { Output } from '../otlp/output.ts';
import { eventMarks } from '../otlp/record-events.ts';
import { originColumns, originOf, statedOriginOf, subjectColumns } from './origin.ts';
import { kindCode, statusCode } from './span-row.ts';
import { knownOf, seriesOf, statesEntities } from './table-rows.ts';
import { textOf } from './values.ts';

/** Different values of some columns of the mapped table, by column. */
export type Entry = Readonly<Record<string, unknown>>;

interface Dictionary {
  readonly columns: readonly string[];
  readonly entities: boolean;
}
const texts = (...columns: readonly string[]): Dictionary => ({ columns, entities: false });
const entityColumns = (...columns: readonly string[]): Dictionary => ({ columns, entities: true });

/** One of our columns as SQL over the mapped table, `m`. */
interface Value {
  readonly sql: string;
  /** If it is NULL, its row is not plain. */
  readonly needed: boolean;
}

/** How plain rows become our rows. */
export interface PlainTable {
  readonly name: RowsInFile['table'];
  /** Everything of the mapped table that is mentioned here; what a file does not have is NULL. */
  readonly columns: readonly string[];
  /** All our columns except those from dictionaries. */
  readonly values: Readonly<Record<string, Value>>;
  /** A cheap test for plain rows, by few columns: other rows add no entity. */
  readonly mentions: string;
  /**
   * Whether such a row whose needed values are given is plain: SQL over `m`, where a value is called `our_start_ns`. Everything
   * that the row by row reader would refuse or take apart is not.
   */
  readonly plain: string;
  /** SQL of what else must hold, by the entries of the dictionaries; absent: nothing. */
  readonly unless?: (out: Output, entries: readonly Entry[], mapping: ColumnMapping) => string;
  /** Columns with few different values, which are looked at once each; with `entities` only what plain rows may mention. */
  readonly dictionaries: Readonly<Record<string, Dictionary>>;
  /** What an entry of a dictionary is in the present batch: values of our columns. */
  enter(out: Output, dictionary: string, entry: Entry): Readonly<Record<string, number>>;
}

const value = (sql: string): Value => ({ sql, needed: true });
/** NULL where there is none. */
const text = (column: string): Value => ({ sql: `nullif(m.${column}, '')`, needed: false });
/** 32 bits; anything else is 0. */
const count = (column: string): Value => value(`coalesce(try_cast(trunc(m.${column}) as uinteger), 0::uinteger)`);
/** Attributes as one JSON object without gaps are kept as they are. */
const attributes: Value = { sql: "case when m.attributes <> '{}' then nullif(m.attributes, '') end", needed: false };
const plainAttributes = `(m.attributes is null or (starts_with(m.attributes, '{')
  and (not contains(m.attributes, 'null') or not regexp_matches(m.attributes, ':\\s*null')) and json_valid(m.attributes)))`;

/** 64 bits of hexadecimal digits. */
const bits = (digits: string): string => `try_cast('0x' || ${digits} as ubigint)`;
const spanId = (column: string): string => bits(`m.${column}`);
const trace = { hi: bits('left(m.trace_id, 16)'), lo: bits('right(m.trace_id, 16)') };
const noId = (column: string): string => `coalesce(m.${column}, '') = ''`;
/** 0 where there is none. */
const optional = (column: string, id: string): Value =>
  value(`case when ${noId(column)} then 0::ubigint else ${id} end`);
/** Whether an id is whole; a cast alone would accept `_` between digits. */
const wholeId = (column: string, digits: 16 | 32): string =>
  `strlen(m.${column}) = ${digits} and not contains(m.${column}, '_')`;
const wholeOrNoId = (column: string, digits: 16 | 32): string => `(${noId(column)} or (${wholeId(column, digits)}))`;

const isEmptyList = (column: string): string => `(m.${column} is null or m.${column} = '[]')`;
const end =
  'case when m.duration is not null then try(m.start + m.duration) else coalesce(nullif(m."end", 0), m.start) end';
/** Half of what 64 bits count: sums of two stay in range. */
const SMALL = String(2n ** 61n);

const origin = entityColumns(...originColumns, ...subjectColumns);

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
  mentions: [wholeId('trace_id', 32), wholeId('span_id', 16), `m.start between 1 and ${SMALL}`].join(' and '),
  plain: [
    wholeOrNoId('parent_span_id', 16),
    '(m.our_trace_hi <> 0 or m.our_trace_lo <> 0)',
    'm.our_span_id <> 0',
    `coalesce(m.duration, 0) between 0 and ${SMALL}`,
    `coalesce(m."end", 0) between 0 and ${SMALL}`,
    isEmptyList('events'),
    isEmptyList('links'),
    plainAttributes,
  ].join(' and '),
  values: {
    trace_hi: value(trace.hi),
    trace_lo: value(trace.lo),
    span_id: value(spanId('span_id')),
    parent_id: optional('parent_span_id', spanId('parent_span_id')),
    start_ns: value('m.start'),
    end_ns: value(end),
    trace_state: text('trace_state'),
    status_message: text('status_message'),
    attributes,
    flags: count('flags'),
    dropped: count('dropped'),
  },
  dictionaries: { origin, name: texts('name'), nature: texts('kind', 'status') },
  enter: (out, dictionary, entry) => {
    if (dictionary === 'name') return { name: out.batch.name(textOf(entry.name)) };
    if (dictionary === 'nature') return { kind: kindCode(entry.kind), status: statusCode(entry.status) };
    return { ...statedOriginOf(out, entry) };
  },
};

/** Of bodies that may state an event, as a pattern in SQL text. */
const anyEventMark = eventMarks
  .map((mark) => mark.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll("'", "''"))
  .join('|');

const log: PlainTable = {
  name: 'log',
  columns: ['time', 'observed_time', 'severity', 'trace_id', 'span_id', 'body', 'attributes', 'flags', 'dropped'],
  mentions: 'coalesce(nullif(m.time, 0), nullif(m.observed_time, 0)) is not null',
  plain: [wholeOrNoId('trace_id', 32), wholeOrNoId('span_id', 16), plainAttributes].join(' and '),
  values: {
    time_ns: value('coalesce(nullif(m.time, 0), nullif(m.observed_time, 0))'),
    observed_ns: value('coalesce(m.observed_time, 0)'),
    severity: value('case when m.severity between 0 and 24 then trunc(m.severity)::utinyint else 0::utinyint end'),
    trace_hi: optional('trace_id', trace.hi),
    trace_lo: optional('trace_id', trace.lo),
    span_id: optional('span_id', spanId('span_id')),
    body: text('body'),
    attributes,
    flags: count('flags'),
    dropped: count('dropped'),
  },
  dictionaries: { origin, severity_text: texts('severity_text'), event_name: texts('event_name') },
  enter: (out, dictionary, entry) => {
    if (dictionary === 'severity_text') return { severity_text: out.batch.name(textOf(entry.severity_text)) };
    if (dictionary === 'event_name') return { event_name: out.batch.name(textOf(entry.event_name)) };
    const { resource, scope } = statedOriginOf(out, entry);
    return { resource, scope };
  },
  unless: (_, __, { columns }) =>
    statesEntities(columns)
      ? ''
      : `not coalesce(regexp_matches(m.body, '${anyEventMark}'), false) and not coalesce(contains(m.attributes, '"k8s.event.'), false)`,
};

/** Samples of gauges and sums; histograms, and series that may be part of one (series-parts.ts), are taken row by row. */
const metric: PlainTable = {
  name: 'point',
  columns: ['metric', 'time', 'start', 'value', 'kind'],
  mentions:
    "m.metric <> '' and m.time <> 0 and m.value is not null and coalesce(m.kind, '') not in ('histogram', 'exponential_histogram', 'summary') and not regexp_matches(m.metric, '_(bucket|sum|count|created)$') and not coalesce(contains(m.attributes, '\"quantile\"'), false)",
  plain: 'true',
  values: {
    start_ns: value('coalesce(m.start, 0)'),
    time_ns: value('m.time'),
    // A gap is NULL.
    value: { sql: 'case when not isnan(m.value) then m.value end', needed: false },
  },
  dictionaries: {
    series: entityColumns(
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
    ),
  },
  enter: (out, _, entry) => {
    originOf(out, entry);
    return { series: seriesOf(out, { ...entry, value: 0 }) };
  },
  unless: (out, entries) => {
    const converted = entries.filter((entry) => isConverted(out, entry)).map(({ metric: name }) => textOf(name));
    const names = [...new Set(converted)].map((name) => `'${name.replaceAll("'", "''")}'`);
    return names.length === 0 ? '' : `m.metric not in (${names.join()})`;
  },
};

/** Whether values of the series have another unit here, or some are left out. */
function isConverted(out: Output, entry: Entry): boolean {
  originOf(out, entry);
  const known = knownOf(out, { ...entry, value: 0 });
  return known !== undefined && (known.value(0) !== 0 || known.value(1) !== 1);
}

export const plainTables: Readonly<Partial<Record<ColumnMapping['table'], PlainTable>>> = { span, log, metric };
