import { severities } from '../../../model/entity.ts';
import { attributesText } from '../../../model/rows/records.ts';
import { ALWAYS_FROM, ALWAYS_TO, type SeriesKind, seriesKinds } from '../../../model/rows/rows.ts';
import type { ColumnMapping } from '../../../model/storage/source.ts';
import { type EdgeKind, edgeKinds } from '../../../model/topology.ts';
import { readDetailsText } from '../event-details/read-details.ts';
import type { KnownSeries, MetricIdentity } from '../otlp/known-series.ts';
import type { Output } from '../otlp/output.ts';
import { RecordEvents } from '../otlp/record-events.ts';
import { originOf, statedOriginOf } from './origin.ts';
import { appendSpan } from './span-row.ts';
import { countOf, kindOf, type MappedRow, objectOf, objectText, textOf, timeOf } from './values.ts';

/** Why a row cannot be kept; '' when it was. */
export type AppendRow = (out: Output, row: MappedRow) => string;

const appendRow: Readonly<Record<Exclude<ColumnMapping['table'], 'log'>, AppendRow>> = {
  span: appendSpan,
  metric: appendMetric,
  event: appendEvent,
  edge: appendEdge,
};

/** Adds the rows of one table. */
export function appenderOf({ table, columns }: ColumnMapping, out: Output): AppendRow {
  if (table !== 'log') return appendRow[table];
  const events = statesEntities(columns) ? undefined : new RecordEvents(out);
  return (_, row) => appendLog(out, row, events);
}

/** Our own exports state the entity of each row: their events are in a table of their own. */
export const statesEntities = (columns: ColumnMapping['columns']): boolean => Object.hasOwn(columns, 'entity_kind');

const idPart = (hex: string, from: number, to: number): bigint => BigInt(`0x${hex.slice(from, to) || '0'}`);
const isHex = (hex: string): boolean => /^[0-9a-f]*$/.test(hex);

function appendLog(out: Output, row: MappedRow, events: RecordEvents | undefined): string {
  const time = timeOf(row.time) ?? timeOf(row.observed_time);
  if (time === undefined) return 'log record without a time';
  const { resource, scope } = statedOriginOf(out, row);
  const trace = textOf(row.trace_id).toLowerCase();
  const span = textOf(row.span_id).toLowerCase();
  const traced = trace.length === 32 && isHex(trace);
  const stated = Number(row.severity ?? 0);
  const severity = stated >= 0 && stated <= 24 ? Math.trunc(stated) : 0;
  const body = textOf(row.body);
  out.batch.table('log').push({
    time_ns: time,
    observed_ns: timeOf(row.observed_time) ?? 0n,
    severity,
    severity_text: out.batch.name(textOf(row.severity_text)),
    event_name: out.batch.name(textOf(row.event_name)),
    resource,
    scope,
    trace_hi: traced ? idPart(trace, 0, 16) : 0n,
    trace_lo: traced ? idPart(trace, 16, 32) : 0n,
    span_id: span.length === 16 && isHex(span) ? idPart(span, 0, 16) : 0n,
    flags: countOf(row.flags),
    body,
    attributes: objectText(row.attributes),
    dropped: countOf(row.dropped),
  });
  events?.read({
    time_ns: time,
    body,
    attributes: objectOf(row.attributes),
    severity,
    at: Number(row.row_number ?? 0),
    raw: recordText(row),
  });
  return '';
}

/** `AggregationTemporality` of metrics.proto. */
const CUMULATIVE = 2;
const temporalities: Readonly<Record<string, 1 | 2>> = { '1': 1, delta: 1, '2': 2, cumulative: 2 };

/** The series of a row, whose resource has been entered. */
export function seriesOf(out: Output, row: MappedRow): number {
  const { identity, attributes } = identityOf(row);
  const { metric, kind, unit, description, temporality, monotonic } = identity;
  const known = knownOf(out, row);
  const id = textOf(row.entity);
  const stated = known ? out.relate(known) : -1;
  const own =
    id === '' ? out.entityOf(objectOf(row.attributes)) : out.batch.entity(kindOf(textOf(row.entity_kind)), id);
  const counts = known?.counter === true && kind === 'gauge';
  return out.batch.series({
    metric: known?.metric ?? metric,
    kind: counts ? 'sum' : kind,
    entity: stated >= 0 ? stated : own,
    resource: out.resourceCode,
    unit: known?.unit ?? unit,
    description: known?.description ?? description,
    temporality: counts ? CUMULATIVE : temporality,
    monotonic: counts || monotonic,
    attributes: known ? attributesText(known.attributes) : attributes,
  });
}

function identityOf(row: MappedRow): { readonly identity: MetricIdentity; readonly attributes: string } {
  const monotonic = /^(true|1)$/i.test(textOf(row.monotonic));
  const temporality = temporalities[textOf(row.temporality).toLowerCase().replace('aggregation_temporality_', '')] ?? 0;
  const kind = seriesKindOf(row) ?? (hasNoValue(row) ? 'histogram' : temporality > 0 || monotonic ? 'sum' : 'gauge');
  const [metric, unit, description] = [textOf(row.metric), textOf(row.unit), textOf(row.description)];
  return {
    identity: { metric, kind, unit, description, temporality, monotonic, metadata: '' },
    attributes: objectText(row.attributes),
  };
}

/**
 * What is known of the series of a row, whose resource has been entered; undefined: it is kept as it is, as every row is that states
 * its entity (our own exports).
 */
export function knownOf(out: Output, row: MappedRow): KnownSeries | undefined {
  if (textOf(row.entity) !== '') return undefined;
  const { identity, attributes } = identityOf(row);
  return out.knownSeries(identity, attributes, seriesKindOf(row) || hasNoValue(row) ? undefined : 'unknown');
}

const hasNoValue = ({ value }: MappedRow): boolean => value === null || value === undefined;
const seriesKindOf = ({ kind }: MappedRow): SeriesKind | undefined => seriesKinds.find((known) => known === kind);
const isDistribution = (row: MappedRow): boolean => {
  const kind = seriesKindOf(row);
  return kind ? kind !== 'gauge' && kind !== 'sum' : hasNoValue(row);
};

function appendMetric(out: Output, row: MappedRow): string {
  const time = timeOf(row.time);
  if (time === undefined) return 'sample without a time';
  if (textOf(row.metric) === '') return 'sample without a metric name';
  originOf(out, row);
  const series = seriesOf(out, row);
  const start_ns = timeOf(row.start) ?? 0n;
  const number = (value: unknown): number => (value === null || value === undefined ? Number.NaN : Number(value));
  if (!isDistribution(row)) {
    const known = knownOf(out, row);
    const value = known ? known.value(number(row.value)) : number(row.value);
    // Another series of the component states it.
    if (value !== undefined) out.batch.table('point').push({ series, start_ns, time_ns: time, value });
    return '';
  }
  out.batch.table('distribution').push({
    series,
    start_ns,
    time_ns: time,
    count: number(row.count),
    sum: number(row.sum),
    min: number(row.min),
    max: number(row.max),
    detail: textOf(row.detail) || buckets(row),
  });
  return '';
}

/** `{"bounds":[…],"counts":[…]}` as the OTLP importers write it; '' when the row has no buckets. */
function buckets(row: MappedRow): string {
  const list = (value: unknown): number[] => {
    const parsed: unknown = typeof value === 'string' ? parse(value) : undefined;
    return Array.isArray(parsed) ? parsed.map(Number) : [];
  };
  const counts = list(row.bucket_counts);
  return counts.length === 0 ? '' : JSON.stringify({ bounds: list(row.explicit_bounds), counts });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The origin of derived events: the case itself creates these rows (core/store/derived-events.ts). */
const DERIVED = 'derived';

function appendEvent(out: Output, row: MappedRow): string {
  const time = timeOf(row.time);
  if (time === undefined) return 'event without a time';
  const type = textOf(row.type);
  const id = textOf(row.entity);
  if (type === '' || id === '') return 'event without a type or a device';
  if (textOf(row.origin) === DERIVED) {
    out.batch.remark('derived events are left out: they are created again from the samples in the case');
    return '';
  }
  const severity = severities.indexOf(textOf(row.severity).toLowerCase() as never);
  const [message, attributes] = [textOf(row.message), objectText(row.attributes)];
  out.batch.table('event').push({
    original_id: textOf(row.id),
    time_ns: time,
    entity: out.batch.entity(kindOf(textOf(row.entity_kind)), id),
    origin: out.batch.name(textOf(row.origin) || 'parquet'),
    type: out.batch.name(type),
    severity: severity >= 0 ? severity : severities.indexOf('low'),
    message,
    attributes,
    details: readDetailsText({ type, message, attributes: objectOf(attributes) }),
    raw: row.raw === undefined ? recordText(row) : textOf(row.raw),
  });
  return '';
}

const recordText = (row: MappedRow): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

function appendEdge(out: Output, row: MappedRow): string {
  const edge = textOf(row.edge);
  if (!edgeKinds.includes(edge as EdgeKind)) return `"${edge}" is no edge kind`;
  const [from, to] = [textOf(row.from_id), textOf(row.to_id)];
  if (from === '' || to === '') return 'edge without an end';
  out.batch.table('edge').push({
    from_entity: out.batch.entity(kindOf(textOf(row.from_kind)), from),
    kind: out.batch.name(edge),
    to_entity: out.batch.entity(kindOf(textOf(row.to_kind)), to),
    valid_from_ns: timeOf(row.valid_from) ?? ALWAYS_FROM,
    valid_to_ns: timeOf(row.valid_to) ?? ALWAYS_TO,
    provenance: out.batch.name(textOf(row.provenance) || 'parquet'),
  });
  return '';
}
