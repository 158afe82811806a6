import { severities } from '../../../model/entity.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../../model/rows.ts';
import type { ColumnMapping } from '../../../model/source.ts';
import { type EdgeKind, edgeKinds } from '../../../model/topology.ts';
import type { Output } from '../otlp/output.ts';
import { appendSpan } from './span-row.ts';
import { kindOf, type MappedRow, objectOf, objectText, resourceText, textOf, timeOf } from './values.ts';

/** Why a row cannot be kept; '' when it was. */
export type AppendRow = (out: Output, row: MappedRow) => string;

export const appendRow: Readonly<Record<ColumnMapping['table'], AppendRow>> = {
  span: appendSpan,
  log: appendLog,
  metric: appendMetric,
  event: appendEvent,
  edge: appendEdge,
};

function enter(out: Output, row: MappedRow): void {
  out.enterResource(resourceText(row), '');
  out.enterScope(textOf(row.scope), textOf(row.scope_version), '');
}

const idPart = (hex: string, from: number, to: number): bigint => BigInt(`0x${hex.slice(from, to) || '0'}`);
const isHex = (hex: string): boolean => /^[0-9a-f]*$/.test(hex);

function appendLog(out: Output, row: MappedRow): string {
  const time = timeOf(row.time) ?? timeOf(row.observed_time);
  if (time === undefined) return 'log record without a time';
  enter(out, row);
  const trace = textOf(row.trace_id).toLowerCase();
  const span = textOf(row.span_id).toLowerCase();
  const traced = trace.length === 32 && isHex(trace);
  const severity = Number(row.severity ?? 0);
  out.batch.table('log').push({
    time_ns: time,
    observed_ns: timeOf(row.observed_time) ?? 0n,
    severity: severity >= 0 && severity <= 24 ? Math.trunc(severity) : 0,
    severity_text: out.batch.name(textOf(row.severity_text)),
    event_name: out.batch.name(textOf(row.event_name)),
    resource: out.resourceCode,
    scope: out.scopeCode,
    trace_hi: traced ? idPart(trace, 0, 16) : 0n,
    trace_lo: traced ? idPart(trace, 16, 32) : 0n,
    span_id: span.length === 16 && isHex(span) ? idPart(span, 0, 16) : 0n,
    flags: 0,
    body: textOf(row.body),
    attributes: objectText(row.attributes),
    dropped: 0,
  });
  return '';
}

const temporalities: Readonly<Record<string, 1 | 2>> = { '1': 1, delta: 1, '2': 2, cumulative: 2 };

/** The series of a row, whose resource has been entered. */
export function seriesOf(out: Output, row: MappedRow, isHistogram: boolean): number {
  const attributes = objectOf(row.attributes);
  const id = textOf(row.entity);
  const monotonic = /^(true|1)$/i.test(textOf(row.monotonic));
  const temporality = temporalities[textOf(row.temporality).toLowerCase().replace('aggregation_temporality_', '')] ?? 0;
  return out.batch.series({
    metric: textOf(row.metric),
    kind: isHistogram ? 'histogram' : temporality > 0 || monotonic ? 'sum' : 'gauge',
    entity: id === '' ? out.entityOf(attributes) : out.batch.entity(kindOf(textOf(row.entity_kind)), id),
    resource: out.resourceCode,
    unit: textOf(row.unit),
    description: textOf(row.description),
    temporality,
    monotonic,
    attributes: objectText(row.attributes),
  });
}

function appendMetric(out: Output, row: MappedRow): string {
  const time = timeOf(row.time);
  if (time === undefined) return 'sample without a time';
  if (textOf(row.metric) === '') return 'sample without a metric name';
  enter(out, row);
  const isHistogram = row.value === null || row.value === undefined;
  const series = seriesOf(out, row, isHistogram);
  const start_ns = timeOf(row.start) ?? 0n;
  if (!isHistogram) {
    out.batch.table('point').push({ series, start_ns, time_ns: time, value: Number(row.value) });
    return '';
  }
  const number = (value: unknown): number => (value === null || value === undefined ? Number.NaN : Number(value));
  out.batch.table('distribution').push({
    series,
    start_ns,
    time_ns: time,
    count: number(row.count),
    sum: number(row.sum),
    min: number(row.min),
    max: number(row.max),
    detail: buckets(row),
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

function appendEvent(out: Output, row: MappedRow): string {
  const time = timeOf(row.time);
  if (time === undefined) return 'event without a time';
  const type = textOf(row.type);
  const id = textOf(row.entity);
  if (type === '' || id === '') return 'event without a type or a device';
  const severity = severities.indexOf(textOf(row.severity).toLowerCase() as never);
  out.batch.table('event').push({
    original_id: textOf(row.id),
    time_ns: time,
    entity: out.batch.entity(kindOf(textOf(row.entity_kind)), id),
    origin: out.batch.name(textOf(row.origin) || 'parquet'),
    type: out.batch.name(type),
    severity: severity >= 0 ? severity : severities.indexOf('low'),
    message: textOf(row.message),
    attributes: objectText(row.attributes),
    raw:
      textOf(row.raw) ||
      JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  });
  return '';
}

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
