import { connect } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as GrpcTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { rowCount } from '../../src/model/rows/rows.ts';
import type { Feed, FeedSink } from '../../src/model/storage/feed.ts';
import { openTestCore, type TestCore } from '../support/core.ts';

const PLAN = 'feeds:\n  - {kind: otlp, grpc: "127.0.0.1:0", http: "127.0.0.1:0"}\n';

interface Running {
  readonly core: TestCore;
  readonly events: CaptureEvent[];
  /** `127.0.0.1:4318`. */
  readonly http: string;
  readonly grpc: string;
  stop(): Promise<void>;
}

async function record(): Promise<Running> {
  const core = await openTestCore(undefined, { feeds });
  const events: CaptureEvent[] = [];
  const stop = new AbortController();
  const listening = Promise.withResolvers<string>();
  const ended = (async () => {
    for await (const event of core.api['capture.run']({ plan: PLAN }, { signal: stop.signal })) {
      events.push(event);
      if (event.kind === 'feed' && event.state === 'up') listening.resolve(event.about);
    }
  })();
  ended.catch(listening.reject);
  const about = await listening.promise;
  const address = (protocol: string): string => new RegExp(`${protocol} (\\S+?)(,|$)`).exec(about)?.[1] ?? '';
  return {
    core,
    events,
    http: address('http'),
    grpc: address('grpc'),
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

async function sendSpans(exporter: SpanExporter, service: string, count: number): Promise<void> {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: 10_000 } as never)],
  });
  const tracer = provider.getTracer('test');
  for (let at = 0; at < count; at++) tracer.startSpan(`step ${at % 3}`, { attributes: { at } }).end();
  await provider.forceFlush();
  await provider.shutdown();
}

const rowsOf = async ({ core }: Running, sql: string): Promise<unknown[][]> =>
  (await core.api['query.sql']({ sql })).rows.map((row) => [...row]);

describe('accepts data of the official SDK', () => {
  test('spans over gRPC, HTTP with protobuf and HTTP with JSON; logs; metrics', async () => {
    const running = await record();
    const { http, grpc } = running;
    await sendSpans(new GrpcTraceExporter({ url: `http://${grpc}` }), 'by-grpc', 300);
    await sendSpans(new ProtoTraceExporter({ url: `http://${http}/v1/traces` }), 'by-protobuf', 200);
    await sendSpans(new JsonTraceExporter({ url: `http://${http}/v1/traces` }), 'by-json', 100);
    const logs = new LoggerProvider({
      processors: [
        new SimpleLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `http://${http}/v1/logs` }) } as never),
      ],
    });
    logs.getLogger('test').emit({ body: 'the disk is full', severityNumber: 17 } as never);
    await logs.forceFlush();
    const meters = new MeterProvider({
      readers: [
        new PeriodicExportingMetricReader({
          exporter: new OTLPMetricExporter({ url: `http://${http}/v1/metrics` }),
          exportIntervalMillis: 60_000,
        } as never),
      ],
    });
    meters.getMeter('test').createGauge('queue.length').record(42);
    await meters.forceFlush();
    await meters.shutdown();
    await running.stop();
    expect(await rowsOf(running, 'select service, count(*)::integer from spans group by all order by 1')).toEqual([
      ['by-grpc', 300],
      ['by-json', 100],
      ['by-protobuf', 200],
    ]);
    expect(await rowsOf(running, 'select body from logs')).toEqual([['the disk is full']]);
    expect(await rowsOf(running, "select distinct value from metrics where metric = 'queue.length'")).toEqual([[42]]);
    expect(running.events.at(-1)).toMatchObject({
      kind: 'ended',
      feeds: [{ name: 'OTLP receiver', lost: 0, problem: null }],
    });
    const { sources, rejects } = (await running.core.api['case.current']({})) ?? { sources: [], rejects: -1 };
    expect(rejects).toBe(0);
    expect(sources[0]).toMatchObject({ name: 'OTLP receiver', format: 'otlp-live', rows: { span: 600, log: 1 } });
  });

  test('received rows are in the case during the capture, and queries stay fast afterwards', async () => {
    const running = await record();
    await sendSpans(new ProtoTraceExporter({ url: `http://${running.http}/v1/traces` }), 'api', 50);
    await expect.poll(() => rowsOf(running, 'select count(*)::integer from spans'), { timeout: 5000 }).toEqual([[50]]);
    const [[id] = []] = await rowsOf(running, 'select trace_id from spans limit 1');
    const found = () => running.core.api['trace.get']({ trace_id: String(id) });
    expect((await found()).span_id).toHaveLength(1);
    await sendSpans(new ProtoTraceExporter({ url: `http://${running.http}/v1/traces` }), 'api', 50);
    await running.stop();
    expect((await found()).span_id).toHaveLength(1);
    expect(await rowsOf(running, 'select sum(spans)::integer from span_count')).toEqual([[100]]);
    const { spans } = await running.core.api['timeline.overview']({ start_ns: 0n, end_ns: 2n ** 62n, buckets: 4 });
    expect(spans.reduce((sum, count) => sum + count, 0)).toBe(100);
  });

  test('an export that was sent twice is stored once', async () => {
    const running = await record();
    const span = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: 'once',
      startTimeUnixNano: '1767225600000000000',
      endTimeUnixNano: '1767225601000000000',
    };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    for (let at = 0; at < 3; at++) expect((await post(running, '/v1/traces', body)).status).toBe(200);
    await running.stop();
    expect(await rowsOf(running, 'select count(*)::integer from spans')).toEqual([[1]]);
  });
});

const post = (
  { http }: Pick<Running, 'http'>,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`http://${http}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

describe('requests', () => {
  test('gzip and zstd are decompressed; bombs, other encodings, types and paths are refused', async () => {
    const running = await record();
    const body =
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1767225600000000000","body":{"stringValue":"packed"}}]}]}]}';
    const packed = { gzip: gzipSync(body), zstd: zstdCompressSync(body) };
    for (const [encoding, bytes] of Object.entries(packed))
      expect((await post(running, '/v1/logs', new Uint8Array(bytes), { 'content-encoding': encoding })).status).toBe(
        200,
      );
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    const refused: [Response, number][] = [
      [await post(running, '/v1/logs', new Uint8Array(bomb), { 'content-encoding': 'gzip' }), 400],
      [await post(running, '/v1/logs', body, { 'content-encoding': 'lzma' }), 415],
      [await post(running, '/v1/logs', body, { 'content-encoding': 'constructor' }), 415],
      [await post(running, '/v1/logs', body, { 'content-type': 'text/plain' }), 415],
      [await post(running, '/v1/logs', '{"resourceLogs": [', {}), 400],
      [await post(running, '/v1/profiles', body), 404],
      [await fetch(`http://${running.http}/v1/logs`), 405],
    ];
    expect(refused.map(([response]) => response.status)).toEqual(refused.map(([, status]) => status));
    await running.stop();
    expect(await rowsOf(running, 'select body, count(*)::integer from logs group by all')).toEqual([['packed', 2]]);
  });

  test('a connection outlasts the five seconds between two batches of an SDK', async () => {
    const running = await record();
    const answer = await post(running, '/v1/logs', '{}');
    expect(answer.status).toBe(200);
    const [, idle_s] = /timeout=(\d+)/.exec(answer.headers.get('keep-alive') ?? '') ?? [];
    expect(Number(idle_s)).toBeGreaterThan(30);
    await running.stop();
  });

  test('invalid OTLP records are reported as partial success, the others are stored', async () => {
    const running = await record();
    const spans = [
      {
        traceId: 'a'.repeat(32),
        spanId: '1'.repeat(16),
        name: 'good',
        startTimeUnixNano: '1767225600000000000',
        endTimeUnixNano: '1767225601000000000',
      },
      { traceId: 'nonsense', spanId: '2'.repeat(16), name: 'bad', startTimeUnixNano: '1', endTimeUnixNano: '2' },
    ];
    const answer = await post(running, '/v1/traces', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedSpans: '1' } });
    await running.stop();
    expect(await rowsOf(running, 'select name from spans')).toEqual([['good']]);
    expect((await running.core.api['rejects.list']({})).total).toBe(1);
  });

  test('invalid OTLP, unknown paths and browser requests are refused with a status, and the receiver continues', async () => {
    const running = await record();
    const protobuf = { 'content-type': 'application/x-protobuf' };
    const resource = Buffer.from('0a050a7f0a0000', 'hex');
    for (const body of ['hello world', new Uint8Array([0x0a, 0xff]), new Uint8Array(resource)])
      expect((await post(running, '/v1/traces', body, protobuf)).status).toBe(400);
    for (const body of ['[]', '"x"', 'nonsense', ''])
      expect([body, (await post(running, '/v1/traces', body)).status]).toEqual([body, 400]);
    expect((await post(running, '/v1/traces', '{}', { origin: 'https://evil.example' })).status).toBe(403);
    const [, port = ''] = running.http.split(':');
    const lines: Readonly<Record<string, string>> = {
      'POST /v1/logs HTTP/1.1\r\nHost: evil.example': '403',
      [`POST /v1/logs HTTP/1.1\r\nHost: evil.example:${port}`]: '403',
      [`POST /v1/logs HTTP/1.1\r\nHost: localhost:${port}`]: '200',
      [`POST /v1/logs?x HTTP/1.1\r\nHost: 127.0.0.1:${port}`]: '200',
      [`POST http://localhost:${port}/v1/logs HTTP/1.1\r\nHost: localhost:${port}`]: '200',
      'POST http://[ HTTP/1.1\r\nHost: localhost': '400',
      'POST // HTTP/1.1\r\nHost: localhost': '400',
      'POST /%ff HTTP/1.1\r\nHost: localhost': '404',
    };
    for (const [head, status] of Object.entries(lines)) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`);
      let text = '';
      for await (const chunk of socket) text += chunk;
      expect([head, text.slice(9, 12)]).toEqual([head, status]);
    }
    await running.stop();
  });

  test('spans that end before they start are counted, live and from a file', async () => {
    const running = await record();
    const span = (at: number, end: number) => ({
      traceId: 'a'.repeat(32),
      spanId: String(at).repeat(16),
      name: 'back',
      startTimeUnixNano: '1767225600000000000',
      endTimeUnixNano: String(1_767_225_600_000_000_000n + BigInt(end)),
    });
    const spans = [span(1, -5), span(2, 5), span(3, -1_000_000_000), { ...span(4, 0), endTimeUnixNano: '0' }];
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect((await post(running, '/v1/traces', body)).status).toBe(200);
    await running.stop();
    const remark = '2 spans end before they start: a clock of the sender was set back or is wrong; stored as sent';
    const live = (await running.core.api['case.current']({}))?.sources[0];
    expect(live?.remarks).toContain(remark);
    const core = await openTestCore();
    const [source] = core.sources(await core.importJson(JSON.parse(body)));
    expect(source?.remarks).toContain(remark);
  });

  test('while rows wait to be written, senders get 429 or RESOURCE_EXHAUSTED', async () => {
    const [feed] = (await feeds.open(PLAN)) as [Feed];
    const stop = new AbortController();
    let isFull = true;
    let rows = 0;
    const up = Promise.withResolvers<void>();
    const sink: FeedSink = {
      take: (batches) => {
        if (!isFull) for (const batch of batches) rows += rowCount(batch);
        return !isFull;
      },
      reportState: () => up.resolve(),
      lost: () => undefined,
    };
    const running = feed.run(sink, stop.signal);
    await up.promise;
    const [, grpc = '', http = ''] = /grpc (\S+), http (\S+)/.exec(feed.about) ?? [];
    const body = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}';
    const answer = await post({ http }, '/v1/logs', body);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    const call = new Client(grpc, credentials.createInsecure());
    const same = (value: Buffer): Buffer => value;
    // One span of the name "b", as a trace request in protobuf.
    const span = Buffer.from('0a0712051203' + '2a0162', 'hex');
    const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
    const problem = await new Promise<ServiceError | null>((resolve) =>
      call.makeUnaryRequest(path, same, same, span, resolve),
    );
    call.close();
    expect(problem?.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(String(problem?.metadata.get('grpc-status-details-bin')[0])).toContain('google.rpc.RetryInfo');
    setTimeout(() => {
      isFull = false;
    }, 700);
    // The exporter retries after these codes.
    await sendSpans(new ProtoTraceExporter({ url: `http://${http}/v1/traces` }), 'patient', 10);
    expect(rows).toBe(10);
    stop.abort();
    await running;
  });
});
