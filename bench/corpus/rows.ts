import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { createReader, type Reader } from '../../src/core/store/facts/reader.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { appendEvent } from '../../src/main/sources/event-details/append-event.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendEdge, appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch, SeriesKind } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { BOUNDS_S, instant, type Recording, type ServiceTelemetry } from './recording.ts';

/** The rows of a recording as the importers would hand them over. */
function rowsOf(recording: Recording): RowBatch {
  const builder = new BatchBuilder();
  for (const { entity, alias } of recording.aliases) builder.entity(entity.kind, entity.id, [alias]);
  for (const edge of recording.edges)
    appendEdge(builder, {
      from: builder.entity(edge.from.kind, edge.from.id),
      kind: edge.kind,
      to: builder.entity(edge.to.kind, edge.to.id),
      provenance: 'topology csv',
      ...(edge.valid_from_s === undefined ? {} : { valid_from_ns: instant(recording, edge.valid_from_s) }),
      ...(edge.valid_to_s === undefined ? {} : { valid_to_ns: instant(recording, edge.valid_to_s) }),
    });
  for (const telemetry of recording.services) appendTelemetry(builder, recording, telemetry);
  for (const { entity, metric, unit, rows } of recording.samples)
    for (const { at_s, value } of rows)
      appendSample(builder, {
        entity: builder.entity(entity.kind, entity.id),
        metric: { name: metric, unit },
        time_ns: instant(recording, at_s),
        value,
      });
  appendSpans(builder, recording);
  appendLogs(builder, recording);
  for (const { name, events } of recording.sources)
    for (const event of events)
      appendEvent(builder, {
        entity: builder.entity(event.entity.kind, event.entity.id),
        time_ns: instant(recording, event.at_s),
        type: event.type,
        severity: event.severity,
        message: event.message,
        origin: name,
        original_id: event.id,
      });
  return builder.finish(0);
}

function appendTelemetry(builder: BatchBuilder, recording: Recording, telemetry: ServiceTelemetry): void {
  const entity = builder.entity('service', telemetry.service);
  const series = (metric: string, unit: string, kind: SeriesKind, attributes = '') =>
    builder.series({
      metric,
      kind,
      entity,
      resource: -1,
      unit,
      description: '',
      temporality: kind === 'histogram' ? 2 : 0,
      monotonic: false,
      attributes,
    });
  if (telemetry.form === 'gauges') {
    const points = builder.table('point');
    for (const row of telemetry.rows) {
      const time_ns = instant(recording, row.at_s);
      const put = (metric: string, unit: string, value: number) => {
        if (!Number.isNaN(value)) points.push({ series: series(metric, unit, 'gauge'), start_ns: 0n, time_ns, value });
      };
      put('service.latency.p50', 'ms', row.p50);
      put('service.latency.p99', 'ms', row.p99);
      put('service.error_rate', '%', row.error_rate);
      put('service.throughput', '1/s', row.throughput);
    }
    return;
  }
  for (const row of telemetry.rows)
    for (const [counts, status] of [[row.ok, 200] as const, [row.failed, 503] as const])
      builder.table('distribution').push({
        series: series('http.server.request.duration', 's', 'histogram', `{"http.response.status_code":${status}}`),
        start_ns: instant(recording, 0),
        time_ns: instant(recording, row.at_s),
        count: counts.reduce((sum, count) => sum + count, 0),
        sum: Number.NaN,
        min: Number.NaN,
        max: Number.NaN,
        detail: `{"bounds":[${BOUNDS_S.join()}],"counts":[${counts.join()}]}`,
      });
}

/** A resource that names the service and nothing else: its placement is in the topology. */
const resourceOf = (builder: BatchBuilder, service: string): number =>
  builder.resource({
    entity: builder.entity('service', service),
    attributes: JSON.stringify({ 'service.name': service }),
    schema_url: '',
  });

function appendSpans(builder: BatchBuilder, recording: Recording): void {
  const spans = builder.table('span');
  const { columns } = spans;
  for (const span of recording.spans) {
    const row = spans.next();
    columns.trace_hi[row] = BigInt(`0x${span.trace.slice(0, 16)}`);
    columns.trace_lo[row] = BigInt(`0x${span.trace.slice(16)}`);
    columns.span_id[row] = BigInt(`0x${span.id}`);
    columns.parent_id[row] = span.parent === '' ? 0n : BigInt(`0x${span.parent}`);
    columns.start_ns[row] = instant(recording, span.start_s);
    columns.end_ns[row] = instant(recording, span.end_s);
    columns.name[row] = builder.name(span.name);
    columns.service[row] = builder.entity('service', span.service);
    columns.resource[row] = resourceOf(builder, span.service);
    columns.scope[row] = -1;
    columns.kind[row] = span.kind;
    columns.status[row] = span.failed ? 2 : 0;
    columns.flags[row] = 0;
    columns.dropped[row] = 0;
    for (const text of [columns.trace_state, columns.status_message, columns.attributes]) text.endRow();
  }
}

function appendLogs(builder: BatchBuilder, recording: Recording): void {
  for (const log of recording.logs)
    builder.table('log').push({
      time_ns: instant(recording, log.at_s),
      observed_ns: 0n,
      severity: log.severity,
      severity_text: -1,
      event_name: -1,
      resource: resourceOf(builder, log.service),
      scope: -1,
      trace_hi: 0n,
      trace_lo: 0n,
      span_id: 0n,
      flags: 0,
      body: log.body,
      attributes: '',
      dropped: 0,
    });
}

export interface OpenCase {
  readonly session: Session;
  readonly reader: Reader;
  close(): Promise<void>;
}

/**
 * A source of its own, and so a clock of its own, for each origin of events. Importing one after the other would come to the
 * same and take five times as long; a test imports incidents as files and compares.
 */
const ONE_SOURCE_PER_ORIGIN = `
  insert into source
  select 1 + row_number() over (order by min(e.event_id)), n.text, 'corpus', '', 0, 0, min(e.time_ns), max(e.time_ns), 0, 0, '{}', 0, '[]'
  from event e join name n on n.name_id = e.origin
  group by n.text;
  update event set source_id = s.source_id
  from source s join name n on n.text = s.name
  where n.name_id = event.origin and s.source_id > 1;
  update source set first_ns = t.first_ns, last_ns = t.last_ns from (
    select min(time_ns) as first_ns, max(time_ns) as last_ns from (
      select time_ns from point union all select time_ns from distribution union all
      select time_ns from log union all select start_ns from span)) t
  where source_id = 1;`;

/** The recording as a case in memory. */
export async function openCase(recording: Recording): Promise<OpenCase> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'corpus');
  const session = await engine.session();
  const writer = await SourceWriter.begin(session, {
    name: 'telemetry',
    format: 'corpus',
    imported_at_ns: 0n,
    clock_offset_ns: 0n,
    clock_uncertainty_ns: 0n,
  });
  await writer.append(rowsOf(recording));
  await writer.commit({ digest: '', bytes: 0 });
  await session.execute(ONE_SOURCE_PER_ORIGIN);
  return {
    session,
    reader: createReader(session),
    close: async () => {
      session.close();
      await engine.close();
    },
  };
}
