import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { countsOf, detected, headOf, readDetected, readJson, readRows, reasonsOf } from '../support/otlp-rows.ts';
import { fixed32Framed, message, request, varintFramed } from '../support/otlp-wire.ts';
import { sharedData } from '../support/shared-data.ts';
import { inputOf } from '../support/source-input.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/otlp');
const fixture = (path: string): Buffer => readFileSync(join(fixtures, path));
const sharedFile = (path: string): Buffer => readFileSync(sharedData(path));
const present = <T>(value: T | undefined): T => value as T;

describe.each([
  { signal: 'traces', table: 'span' as const, count: 3530 },
  { signal: 'logs', table: 'log' as const, count: 2237 },
  { signal: 'metrics', table: 'point' as const, count: 3210 },
])('$signal of the collector file exporter', ({ signal, table, count }) => {
  const files = readdirSync(join(fixtures, 'framings')).filter((file) => file.includes(`-${signal}.`));

  test('every framing has the same content', async () => {
    expect(files.length).toBeGreaterThanOrEqual(3);
    const readings = await Promise.all(files.map((file) => readDetected(fixture(`framings/${file}`))));
    for (const reading of readings) {
      expect(reading.rows[table].length).toBe(count);
      expect(reading.rows.reject).toEqual([]);
      expect(reading.rows[table]).toEqual(present(readings[0]).rows[table]);
      expect(reading.rows.edge).toEqual(present(readings[0]).rows.edge);
      expect(reading.entities).toEqual(present(readings[0]).entities);
    }
  });

  test('the same batches as one list, pretty documents, bare and varint-delimited messages', async () => {
    const lines = zstdDecompressSync(fixture(`framings/fileexporter-${signal}.jsonl.zst-native`))
      .toString()
      .trimEnd()
      .split('\n');
    const documents = lines.map((line) => JSON.parse(line));
    const expected = (await readDetected(Buffer.from(lines.join('\n')))).rows[table];
    const messages = protobufMessages(fixture(`framings/fileexporter-${signal}.proto.zstd-legacy`));
    const variants: Record<string, Buffer> = {
      list: Buffer.from(JSON.stringify(documents)),
      'pretty list': Buffer.from(JSON.stringify(documents, null, 1)),
      'pretty documents': Buffer.from(documents.map((one) => JSON.stringify(one, null, 2)).join('\n')),
      'documents without a line end': Buffer.from(lines.join('')),
      'CRLF and byte order mark': Buffer.from(`\uFEFF\r\n ${lines.join('\r\n')}`),
      'gzip, two members': Buffer.concat([
        gzipSync(`${lines.slice(0, 5).join('\n')}\n`),
        gzipSync(lines.slice(5).join('\n')),
      ]),
      'zstd, two frames': Buffer.concat([
        zstdCompressSync(Buffer.from(`${lines[0]}\n`)),
        zstdCompressSync(Buffer.from(lines.slice(1).join('\n'))),
      ]),
      bare: Buffer.concat(messages),
      varint: varintFramed(messages),
      'fixed32 in gzip': gzipSync(fixed32Framed(messages)),
    };
    for (const [variant, bytes] of Object.entries(variants)) {
      const { rows } = await readDetected(bytes);
      expect(rows.reject, variant).toEqual([]);
      expect(rows[table], variant).toEqual(expected);
    }
  });
});

test.each(['traces', 'logs', 'metrics'])(
  'every recorded framing of the exporter’s %s, as published',
  async (signal) => {
    const folder = sharedData('otlp/derived-proto');
    const files = readdirSync(folder).filter((file) => file.startsWith(`fileexporter-${signal}.`));
    expect(files).toHaveLength(5);
    const readings = await Promise.all(files.map((file) => readDetected(readFileSync(join(folder, file)))));
    for (const { rows, entities } of readings) {
      expect(rows).toEqual(present(readings[0]).rows);
      expect(entities).toEqual(present(readings[0]).entities);
    }
  },
);

function protobufMessages(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32BE(at)) {
    messages.push(zstdDecompressSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at))));
  }
  return messages;
}

test.each([
  ['2023-01-29T08-52', 14_543, 9_190, 13_185],
  ['2023-01-29T14-49', 12_897, 6_855, 16_701],
])('incident window %s', async (window, spans, logs, points) => {
  const files = ['traces', 'logs', 'metrics'].map((signal) =>
    sharedFile(`otlp/derived-nezha/${window}/${signal}.jsonl.gz`),
  );
  const [traces, logged, metrics] = await Promise.all(files.map((file) => readDetected(file as Buffer)));
  expect(countsOf(present(traces)).span).toBe(spans);
  expect(countsOf(present(logged)).log).toBe(logs);
  expect(countsOf(present(metrics)).point).toBe(points);
  for (const reading of [traces, logged, metrics]) expect(reasonsOf(present(reading))).toEqual([]);
  const known = new Set(
    present(traces).rows.span.map(({ trace_hi, trace_lo, span_id }) => `${trace_hi} ${trace_lo} ${span_id}`),
  );
  const linked = present(logged).rows.log.filter(({ trace_hi, trace_lo, span_id }) =>
    known.has(`${trace_hi} ${trace_lo} ${span_id}`),
  );
  expect(linked.length).toBe(logs);
});

test('a request in protobuf gives the same rows as its JSON', async () => {
  const pairs = {
    'gcp-ops/logs_apache_access.json': 'requests/gcp-ops__logs__logs_apache_access.binpb',
    'gcp-ops/ops_agent_host_metrics.json': 'requests/gcp-ops__metrics__ops_agent_host_metrics.binpb',
    'jaeger-ui/otlp2jaeger-in.json': 'requests/jaeger-ui__otlp2jaeger-in.binpb',
    'proto-examples/logs.json': 'requests/proto-examples__logs.binpb',
    'proto-examples/metrics.json': 'requests/proto-examples__metrics.binpb',
    'proto-examples/trace.json': 'requests/proto-examples__trace.binpb',
  };
  for (const [json, protobuf] of Object.entries(pairs)) {
    const [a, b] = [await readDetected(fixture(json)), await readDetected(fixture(protobuf))];
    expect(b.rows, json).toEqual(a.rows);
    expect(b.entities, json).toEqual(a.entities);
  }
});

test('known contents of published files', async () => {
  const expected: Record<string, Record<string, number>> = {
    'gcp-ops/traces_basic.json': { span: 45, edge: 2 },
    'gcp-ops/prometheus.json': { point: 7, distribution: 2 },
    'gcp-ops/histogram.json': { distribution: 4, exemplar: 4 },
    'gcp-ops/summary.json': { distribution: 1 },
    'requests/gcp-ops__metrics__exponential_histogram.binpb': { distribution: 2 },
    'requests/gcp-ops__metrics__workload_metrics.binpb': { point: 197, distribution: 3, edge: 1 },
    'jaeger-ui/otlp2jaeger-multi-in-combined.json': { span: 4 },
    'fluent-bit/test_traces_002.in.json': { span: 2, span_event: 1 },
    'fluent-bit/test_metrics_002.in.json': { point: 1, distribution: 1 },
    'fluent-bit/test_logs_001.in.json': { log: 4 },
    'datadog-mapping/simple.json': { point: 12, distribution: 3 },
    'datadog-mapping/interval.json': { point: 3, distribution: 1 },
  };
  for (const [file, counts] of Object.entries(expected))
    expect(countsOf(await readDetected(fixture(file))), file).toEqual(counts);
});

test('several signals in one stream of messages', async () => {
  const files = [
    'requests/proto-examples__trace.binpb',
    'requests/proto-examples__logs.binpb',
    'requests/proto-examples__metrics.binpb',
  ];
  const messages = files.map((file) => fixture(file));
  const expected = { span: 1, log: 1, point: 2, distribution: 2 };
  for (const bytes of [fixed32Framed(messages), varintFramed(messages), Buffer.concat(messages)]) {
    expect(countsOf(await readRows(otlpProtobuf, bytes))).toEqual(expected);
    expect((await detected(bytes))?.id).toBe('otlp-protobuf');
  }
});

test('content decides, and other formats are left alone', async () => {
  const others = ['jaeger-ui/otlp2jaeger-out.json', 'fluent-bit/logs.json', 'proto/trace.proto', 'PROVENANCE.md'];
  for (const file of others) expect(await detected(fixture(file)), file).toBeUndefined();
  const texts = [
    '',
    '{}',
    '[]',
    '[1,2]',
    '{"batches":[{"id":1}]}',
    '\n\n\n',
    'a,b\n1,2\n',
    '{"data":[{"note":"{\\"resourceSpans\\":[]}"}]}',
  ];
  for (const text of texts) expect(await detected(Buffer.from(text)), text).toBeUndefined();
  expect(await detected(Buffer.alloc(4096))).toBeUndefined();
  const damaged = Buffer.concat([
    Buffer.from('ans":[]}]}\n{"resourceSp'),
    Buffer.from('\n'),
    zstdDecompressSync(fixture('framings/fileexporter-traces.jsonl.zst-native')),
  ]);
  expect(await detected(damaged)).toBeUndefined();
  const cutFirst = Buffer.concat([
    Buffer.from('{"resourceSpans":[{"res\n'),
    zstdDecompressSync(fixture('framings/fileexporter-traces.jsonl.zst-native')),
  ]);
  expect((await detected(cutFirst))?.id).toBe('otlp-json');
  expect(countsOf(await readRows(otlpJson, cutFirst))).toMatchObject({ span: 3530, reject: 1 });
});

test('a layout from before 0.9 is reported, not guessed', async () => {
  const reading = await readDetected(fixture('fluent-bit/opentelemetry_payload.bin'));
  expect(countsOf(reading)).toEqual({ reject: 8 });
});

test('profiles are skipped with a notice', async () => {
  const json = await readJson({ resourceProfiles: [{ scopeProfiles: [{ profiles: [{}] }] }] });
  expect(reasonsOf(json)).toEqual(['profiles are not imported']);
  const profile = message([
    [3, 1_700_000_000_000_000_000n, 'fixed64'],
    [4, 5],
  ]);
  const wire = await readRows(
    otlpProtobuf,
    fixed32Framed([request([profile]), fixture('requests/proto-examples__trace.binpb')]),
  );
  expect(countsOf(wire)).toEqual({ span: 1, reject: 1 });
  expect(reasonsOf(wire)).toEqual(['profiles are not imported']);
});

test('a file that is not protobuf is refused in one line', async () => {
  await expect(readRows(otlpProtobuf, Buffer.from('hello'))).rejects.toMatchObject({
    problem: { code: 'otlp.not_protobuf' },
  });
});

test('large inputs come in bounded batches whose progress only grows', async () => {
  const line = zstdDecompressSync(fixture('framings/fileexporter-traces.jsonl.zst-native'));
  const bytes = Buffer.concat(Array.from({ length: 30 }, () => line));
  const sizes: number[] = [];
  let last = 0;
  for await (const batch of otlpJson.read(inputOf(bytes, { name: 'big', piece: 1 << 20 }))) {
    sizes.push(batch.tables.span?.count ?? 0);
    expect(batch.consumed_bytes).toBeGreaterThanOrEqual(last);
    last = batch.consumed_bytes;
  }
  expect(last).toBe(bytes.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(20_480);
  expect(sizes.reduce((a, b) => a + b)).toBe(30 * 3530);
});

test('the head that detection sees may end anywhere', async () => {
  const lines = gunzipSync(gzipSync(zstdDecompressSync(fixture('framings/fileexporter-logs.jsonl.zst-native'))));
  for (const length of [64, 200, 1000, 5000])
    expect(otlpJson.detect(new FileHead(lines.subarray(0, length)))).toBe(true);
  const head = await headOf(fixture('framings/fileexporter-traces.proto'));
  for (const length of [300, 1000, 5000, 40_000])
    expect(otlpProtobuf.detect(new FileHead(head.bytes.subarray(0, length)))).toBe(true);
});
