import { type EntityKind, severities } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../../model/rows/rows.ts';
import { parseTime } from '../../../model/time.ts';
import { rawText } from '../bytes/json-access.ts';
import { readDetailsText } from '../event-details/read-details.ts';
import type { ChainEvent, PowerTraceEvent, PowerTraceSpan, ServiceMetric } from './format.ts';

/** The kind of entity of each PowerTrace event source; for others `device`, unknown. */
const kindBySource: Readonly<Record<string, EntityKind>> = {
  ups: 'ups',
  pdu_snmp: 'pdu',
  redfish: 'server',
  rapl: 'server',
  nvml: 'gpu',
  poe_snmp: 'switch',
  aws_health: 'instance',
  azure_resource_health: 'instance',
  gcp_instance_health: 'instance',
};

/** @param record the event as written in the file, stored whole as evidence */
export function appendEvent(builder: BatchBuilder, event: PowerTraceEvent, record: unknown): void {
  const time_ns = parseTime(event.timestamp);
  builder.table('event').push({
    original_id: event.id,
    time_ns,
    entity: builder.entity(kindBySource[event.source] ?? 'device', event.device_id),
    origin: builder.name(event.source),
    type: builder.name(event.type),
    severity: severities.indexOf(event.severity),
    message: event.raw_message ?? '',
    attributes: JSON.stringify(event.metadata ?? {}),
    details: readDetailsText({
      type: event.type,
      message: event.raw_message ?? '',
      attributes: event.metadata ?? {},
    }),
    raw: rawText(record),
  });
}

/** An event as a report retells it: what led to what is the report's opinion and stays an attribute. */
export function appendChainEvent(builder: BatchBuilder, event: ChainEvent, record: unknown): void {
  const { event_id, timestamp, source, type, device_id, ...opinion } = event;
  builder.table('event').push({
    original_id: event_id,
    time_ns: parseTime(timestamp),
    entity: builder.entity(kindBySource[source] ?? 'device', device_id),
    origin: builder.name(source),
    type: builder.name(type),
    // Reports do not repeat the severity; medium keeps it from outweighing a recording.
    severity: severities.indexOf('medium'),
    message: '',
    attributes: JSON.stringify({ ...opinion, retold_by: 'powertrace report' }),
    details: readDetailsText({ type, message: '', attributes: opinion }),
    raw: rawText(record),
  });
}

/** The gauges of DESIGN section 6: each PowerTrace field and its metric name and UCUM unit. */
const gauges = [
  ['p50_latency_ms', 'service.latency.p50', 'ms'],
  ['p95_latency_ms', 'service.latency.p95', 'ms'],
  ['p99_latency_ms', 'service.latency.p99', 'ms'],
  ['error_rate_percent', 'service.error_rate', '%'],
  ['throughput_rps', 'service.throughput', '1/s'],
] as const;

export function appendServiceMetric(builder: BatchBuilder, row: ServiceMetric): void {
  const time_ns = parseTime(row.timestamp);
  const entity = builder.entity('service', row.service_name);
  if (row.node_id) runsOn(builder, entity, builder.entity('instance', row.node_id));
  const attributes = row.node_id ? JSON.stringify({ node_id: row.node_id }) : '';
  for (const [field, metric, unit] of gauges) {
    const value = row[field];
    if (value === null || value === undefined) continue;
    const series = builder.series({
      metric,
      kind: 'gauge',
      entity,
      resource: -1,
      unit,
      description: '',
      temporality: 0,
      monotonic: false,
      attributes,
    });
    builder.table('point').push({ series, start_ns: 0n, time_ns, value });
  }
}

const seenEdges = new WeakMap<BatchBuilder, Set<string>>();
function runsOn(builder: BatchBuilder, service: number, host: number): void {
  const seen = seenEdges.get(builder) ?? new Set();
  seenEdges.set(builder, seen);
  const key = `${service} ${host}`;
  if (seen.has(key)) return;
  seen.add(key);
  builder.table('edge').push({
    from_entity: service,
    kind: builder.name('runs_on'),
    to_entity: host,
    valid_from_ns: ALWAYS_FROM,
    valid_to_ns: ALWAYS_TO,
    provenance: builder.name('powertrace service metrics'),
  });
}

export function appendSpan(builder: BatchBuilder, span: PowerTraceSpan): void {
  const start_ns = parseTime(span.start_time);
  const end_ns = start_ns + BigInt(Math.round(span.duration_ms * 1e6));
  if (end_ns >= 2n ** 63n) fail('time.out_of_range', 'the span ends beyond the year 2262');
  const trace = parseId(span.trace_id, 32);
  const id = parseId(span.span_id, 16);
  // Ids that are not OpenTelemetry's hex are hashed to the fixed width; the originals stay readable.
  const originals =
    trace.exact && id.exact ? {} : { 'powertrace.trace_id': span.trace_id, 'powertrace.span_id': span.span_id };
  const service = builder.entity('service', span.service_name);
  builder.table('span').push({
    trace_hi: trace.hi,
    trace_lo: trace.lo,
    span_id: id.lo,
    parent_id: span.parent_span_id ? parseId(span.parent_span_id, 16).lo : 0n,
    start_ns,
    end_ns,
    name: builder.name(span.operation ?? ''),
    service,
    scope: -1,
    resource: builder.resource({
      entity: service,
      attributes: JSON.stringify({ 'service.name': span.service_name }),
      schema_url: '',
    }),
    kind: 0,
    status: span.status === 'error' ? 2 : span.status === 'ok' ? 1 : 0,
    flags: 0,
    trace_state: '',
    status_message: '',
    attributes: JSON.stringify({ ...span.attributes, ...originals }),
    dropped: 0,
  });
}

function parseId(text: string, digits: 16 | 32): { readonly hi: bigint; readonly lo: bigint; readonly exact: boolean } {
  if (text.length === digits && /^[0-9a-f]+$/i.test(text)) {
    const value = BigInt(`0x${text}`);
    return { hi: value >> 64n, lo: value & 0xffff_ffff_ffff_ffffn, exact: true };
  }
  return { hi: digits === 32 ? fnv1a(`${text}#`) : 0n, lo: fnv1a(text), exact: false };
}

/** FNV-1a, 64 bits (Fowler, Noll, Vo): the same text always gets the same id. */
function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffff_ffff_ffff_ffffn;
  return hash;
}
