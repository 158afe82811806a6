import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  AggregationType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import { detected, readRows } from '../support/otlp-rows.ts';

const resource = resourceFromAttributes({ 'service.name': 'real-client', 'host.name': 'box' });
const bytesOf = (bytes: Uint8Array | undefined): Uint8Array => {
  if (!bytes) throw new Error('the client produced nothing');
  return bytes;
};

async function both(json: Uint8Array | undefined, protobuf: Uint8Array | undefined) {
  expect((await detected(bytesOf(json)))?.id).toBe('otlp-json');
  expect((await detected(bytesOf(protobuf)))?.id).toBe('otlp-protobuf');
  const fromJson = await readRows(otlpJson, bytesOf(json));
  const fromWire = await readRows(otlpProtobuf, bytesOf(protobuf));
  expect(fromWire.rows.reject).toEqual([]);
  return { fromJson, fromWire };
}

test('spans of the JavaScript SDK', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter } as never)] });
  const tracer = provider.getTracer('lib', '1.2.3');
  const parent = tracer.startSpan('parent', {
    kind: SpanKind.SERVER,
    startTime: [1_700_000_000, 123_456_789],
    attributes: { text: 'é"', list: ['a', 'b'], yes: true, size: 7, share: 0.5 },
  });
  const child = tracer.startSpan(
    'child',
    { kind: SpanKind.CLIENT, links: [{ context: parent.spanContext(), attributes: { why: 'batch' } }] },
    trace.setSpan(ROOT_CONTEXT, parent),
  );
  child.addEvent('retry', { attempt: 2 });
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'down' });
  child.end();
  parent.end([1_700_000_001, 0]);
  await provider.forceFlush();
  const spans = exporter.getFinishedSpans();
  expect(spans.length).toBe(2);
  const { fromJson, fromWire } = await both(
    JsonTraceSerializer.serializeRequest(spans),
    ProtobufTraceSerializer.serializeRequest(spans),
  );
  expect(fromWire.rows).toEqual(fromJson.rows);
  const [first, second] = fromWire.rows.span;
  expect(second).toMatchObject({
    name: 'parent',
    kind: 2,
    service: 'service:real-client',
    scope: 'lib@1.2.3',
    start_ns: 1_700_000_000_123_456_789n,
    end_ns: 1_700_000_001_000_000_000n,
    parent_id: 0n,
  });
  expect(JSON.parse(String(second?.attributes))).toEqual({
    text: 'é"',
    list: ['a', 'b'],
    yes: true,
    size: 7,
    share: 0.5,
  });
  const { traceId, spanId } = parent.spanContext();
  expect(second).toMatchObject({
    trace_hi: BigInt(`0x${traceId.slice(0, 16)}`),
    trace_lo: BigInt(`0x${traceId.slice(16)}`),
    span_id: BigInt(`0x${spanId}`),
  });
  expect(first).toMatchObject({
    name: 'child',
    kind: 3,
    status: 2,
    status_message: 'down',
    parent_id: second?.span_id,
  });
  expect(fromWire.rows.span_event[0]).toMatchObject({
    name: 'retry',
    attributes: '{"attempt":2}',
    span_id: first?.span_id,
  });
  expect(fromWire.rows.span_link[0]).toMatchObject({ linked_span_id: second?.span_id, span_id: first?.span_id });
});

test('logs of the JavaScript SDK', async () => {
  const exporter = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter } as never)] });
  provider.getLogger('lib').emit({
    timestamp: [1_700_000_000, 5],
    severityNumber: 17,
    severityText: 'ERROR',
    body: 'no power',
    attributes: { rack: 'r1' },
    eventName: 'power.lost',
  } as never);
  await provider.forceFlush();
  const records = exporter.getFinishedLogRecords();
  const { fromJson, fromWire } = await both(
    JsonLogsSerializer.serializeRequest(records),
    ProtobufLogsSerializer.serializeRequest(records),
  );
  expect(fromWire.rows).toEqual(fromJson.rows);
  expect(fromWire.rows.log[0]).toMatchObject({
    time_ns: 1_700_000_000_000_000_005n,
    severity: 17,
    severity_text: 'ERROR',
    body: 'no power',
    attributes: '{"rack":"r1"}',
    event_name: 'power.lost',
  });
});

test('metrics of the JavaScript SDK', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 } as never)],
    views: [{ instrumentName: 'sizes', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
  });
  const meter = provider.getMeter('lib');
  meter.createCounter('requests', { unit: '1', description: 'served' }).add(3, { route: '/' });
  meter.createHistogram('http.server.request.duration', { unit: 's' }).record(0.25);
  meter.createHistogram('sizes').record(1000);
  meter
    .createObservableGauge('power', { unit: 'W' })
    .addCallback((result) => result.observe(412.5, { 'gpu.uuid': 'GPU-1' }));
  await provider.forceFlush();
  const [metrics] = exporter.getMetrics();
  const { fromJson, fromWire } = await both(
    JsonMetricsSerializer.serializeRequest(metrics as never),
    ProtobufMetricsSerializer.serializeRequest(metrics as never),
  );
  expect(fromWire.rows).toEqual(fromJson.rows);
  const series = [...fromWire.rows.point, ...fromWire.rows.distribution].map((row) => JSON.parse(String(row.series)));
  expect(series.map(({ metric, kind, entity }) => `${metric} ${kind} ${entity}`).sort()).toEqual([
    'http.server.request.duration histogram service:real-client',
    'power gauge gpu:GPU-1',
    'requests sum service:real-client',
    'sizes exponential_histogram service:real-client',
  ]);
  expect(series.find(({ metric }) => metric === 'requests')).toMatchObject({
    unit: '1',
    description: 'served',
    monotonic: true,
    temporality: 2,
  });
  await provider.shutdown();
});
