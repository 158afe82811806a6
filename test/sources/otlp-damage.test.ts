import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BROKEN_STREAM, openBytes } from '../../src/main/sources/bytes/decompress.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { Source } from '../../src/model/storage/source.ts';
import { countsOf, randomFrom, readDetected, readJson, readRows, reasonsOf } from '../support/otlp-rows.ts';
import { attribute, type Field, fixed32Framed, message, request, varintFramed } from '../support/otlp-wire.ts';
import { chunksOf } from '../support/source-input.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/otlp');
const fixture = (path: string): Buffer => readFileSync(join(fixtures, path));

/** Small inputs of every framing: exhaustive damage stays fast on them. */
function samples(): { name: string; source: Source; bytes: Buffer }[] {
  const json = (path: string) => JSON.parse(fixture(path).toString());
  const documents = [
    'proto-examples/trace.json',
    'proto-examples/metrics.json',
    'proto-examples/logs.json',
    'fluent-bit/test_traces_002.in.json',
  ].map(json);
  const messages = [
    'proto-examples__trace',
    'proto-examples__metrics',
    'proto-examples__logs',
    'gcp-ops__metrics__exponential_histogram',
    'gcp-ops__metrics__summary',
  ].map((name) => fixture(`requests/${name}.binpb`));
  const legacy = (parts: readonly Uint8Array[]) => fixed32Framed(parts.map((part) => zstdCompressSync(part)));
  return [
    {
      name: 'JSON lines',
      source: otlpJson,
      bytes: Buffer.from(documents.map((one) => JSON.stringify(one)).join('\n')),
    },
    {
      name: 'pretty documents',
      source: otlpJson,
      bytes: Buffer.from(documents.map((one) => JSON.stringify(one, null, 2)).join('\n')),
    },
    { name: 'list', source: otlpJson, bytes: Buffer.from(JSON.stringify(documents)) },
    {
      name: 'JSON, message by message zstd',
      source: otlpJson,
      bytes: legacy(documents.map((one) => Buffer.from(JSON.stringify(one)))),
    },
    {
      name: 'JSON lines in gzip',
      source: otlpJson,
      bytes: gzipSync(documents.map((one) => JSON.stringify(one)).join('\n')),
    },
    { name: 'fixed32', source: otlpProtobuf, bytes: fixed32Framed(messages) },
    { name: 'varint', source: otlpProtobuf, bytes: varintFramed(messages) },
    { name: 'bare', source: otlpProtobuf, bytes: Buffer.concat(messages) },
    { name: 'protobuf, message by message zstd', source: otlpProtobuf, bytes: legacy(messages) },
    { name: 'fixed32 in zstd', source: otlpProtobuf, bytes: zstdCompressSync(fixed32Framed(messages)) },
  ];
}

/** All problems except a refusal of the whole file, which is expected if the format is no longer recognisable. */
async function readOrRefuse(source: Source, bytes: Uint8Array): Promise<Record<string, number> | 'refused'> {
  try {
    return countsOf(await readRows(source, bytes));
  } catch (error) {
    if (error instanceof ProblemError) return 'refused';
    throw error;
  }
}

describe.each(samples())('$name', ({ name, source, bytes }) => {
  test('pieces of any size give the same rows', async () => {
    const whole = await readRows(source, bytes);
    expect(whole.rows.reject).toEqual([]);
    for (const size of [1, 2, 3, 7, 64, 333])
      expect((await readRows(source, bytes, size)).rows, `pieces of ${size}`).toEqual(whole.rows);
    expect((await readRows(source, bytes, undefined, 'traces.csv')).rows).toEqual(whole.rows);
  });

  test('cut anywhere: no crash, complete records are kept, one reject', async () => {
    const whole = countsOf(await readRows(source, bytes));
    let before = 0;
    for (let length = 1; length < bytes.length; length += bytes.length > 4000 ? 37 : 5) {
      const counts = await readOrRefuse(source, bytes.subarray(0, length));
      if (counts === 'refused') {
        expect(before, `refused at ${length} although records were complete`).toBe(0);
        continue;
      }
      const { reject = 0, ...retained } = counts;
      expect(reject, `cut at ${length}`).toBeLessThanOrEqual(1);
      const rows = Object.values(retained).reduce((a, b) => a + b, 0);
      expect(rows).toBeGreaterThanOrEqual(before);
      before = rows;
      for (const [table, count] of Object.entries(retained)) expect(count).toBeLessThanOrEqual(whole[table] ?? 0);
    }
    // A Zstandard block gives nothing before it is whole.
    if (!name.includes('zstd')) expect(before).toBeGreaterThan(0);
  });

  test('random damage: no crash, no hang', async () => {
    const random = randomFrom(20_240_717);
    for (let round = 0; round < 250; round++) {
      const damaged = Buffer.from(bytes);
      for (let i = 0; i < 1 + random() * 6; i++)
        damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
      const cut = random() < 0.3 ? damaged.subarray(0, Math.floor(random() * damaged.length)) : damaged;
      await readOrRefuse(source, cut);
    }
  });
});

test('noise is refused or rejected, never a crash', async () => {
  const random = randomFrom(7);
  for (let round = 0; round < 500; round++) {
    const noise = Buffer.from(Array.from({ length: Math.floor(random() * 400) }, () => Math.floor(random() * 256)));
    await readOrRefuse(otlpJson, noise);
    await readOrRefuse(otlpProtobuf, Buffer.concat([Buffer.from([0x0a]), noise]));
  }
});

test('a cut inside one long record list keeps every complete record', async () => {
  const lines = zstdDecompressSync(fixture('framings/fileexporter-traces.jsonl.zst-native'));
  const spans = (await readRows(otlpJson, lines)).rows.span;
  for (const share of [0.05, 0.31, 0.77]) {
    const cut = lines.subarray(0, Math.floor(lines.length * share));
    const reading = await readRows(otlpJson, cut);
    expect(reading.rows.span.length).toBe(
      cut.toString().split('"status":{}').length -
        1 -
        (reading.rows.reject[0]?.excerpt === '' ? 1 : 0) -
        unfinished(cut),
    );
    expect(reading.rows.span).toEqual(spans.slice(0, reading.rows.span.length));
    expect(reading.rows.reject.length).toBe(1);
  }
  const framed = fixture('framings/fileexporter-traces.proto');
  for (const share of [0.05, 0.31, 0.77]) {
    const reading = await readRows(otlpProtobuf, framed.subarray(0, Math.floor(framed.length * share)));
    expect(reading.rows.span.length).toBeGreaterThan(3530 * share * 0.9);
    expect(reading.rows.span).toEqual(spans.slice(0, reading.rows.span.length));
    expect(reading.rows.reject.length).toBe(1);
  }
});

/** 1 when the last span of a cut text has its status but not its closing brace. */
function unfinished(cut: Buffer): number {
  const tail = cut.toString().slice(cut.lastIndexOf('"status":{}'));
  return /^"status":\{\}(,"parentSpanId":"[0-9a-f]{16}")?\}/.test(tail) ? 0 : 1;
}

test('a broken line costs that line only', async () => {
  const good = JSON.stringify(JSON.parse(fixture('proto-examples/trace.json').toString()));
  const bad = [
    '{"resourceSpans":[{"scopeSpans":[',
    'garbage',
    '{"resourceSpans":[}]}',
    '{"a":1}',
    '"text"',
    '{"resourceSpans":{"a":1}}',
    good.slice(0, -5),
    good.slice(0, 300),
  ];
  for (const line of bad) {
    const reading = await readJson(`${good}\n${line}\n${good}\n${good}`);
    expect(reading.rows.span.length, line).toBeGreaterThanOrEqual(3);
    expect(reading.rows.reject.length, line).toBe(1);
    expect(Number(reading.rows.reject[0]?.at)).toBeGreaterThanOrEqual(good.length + 1);
  }
});

test('a broken pretty document costs what follows the break in it', async () => {
  const good = JSON.stringify(JSON.parse(fixture('proto-examples/trace.json').toString()), null, 2);
  for (const cut of [200, 500, 900]) {
    const reading = await readJson(`${good}\n${good.slice(0, cut)}\n${good}\n${good}`);
    expect(reading.rows.span.length).toBe(3);
    expect(reading.rows.reject.length).toBe(1);
  }
});

const span = (id: number, more: readonly Field[] = []): readonly Field[] => [
  [1, Buffer.alloc(16, 7)],
  [2, Buffer.alloc(8, id)],
  [5, `span ${id}`],
  [7, 1_700_000_000_000_000_000n, 'fixed64'],
  [8, 1_700_000_000_500_000_000n, 'fixed64'],
  [9, attribute('k', 'v')],
  ...more,
];

test('a bad span is one reject and its neighbours stay', async () => {
  const tooLong: Field = [
    9,
    [
      [1, 'k'],
      [2, Buffer.from([0x0a, 0x7f, 0x41])],
    ],
  ];
  const bad: Record<string, readonly Field[] | Buffer> = {
    'trace id is 15 bytes long, not 16': span(9, [[1, Buffer.alloc(15, 1)]]),
    'span id is 9 bytes long, not 8': span(9, [[2, Buffer.alloc(9, 1)]]),
    'span without a span id': span(9, [[2, Buffer.alloc(8)]]),
    'span without a trace id': span(9, [[1, Buffer.alloc(0)]]),
    'span without a start time': span(9, [[7, 0n, 'fixed64']]),
    'span time is out of range': span(9, [[7, 2n ** 64n - 1n, 'fixed64']]),
    'length runs past the end of the message': span(9, [tooLong]),
    'varint of more than 10 bytes': Buffer.concat([message(span(9)), Buffer.from([0x50, ...Array(10).fill(0xff), 1])]),
    'wire type 7 is not in use': Buffer.concat([message(span(9)), Buffer.from([0xff, 0x01])]),
  };
  for (const [reason, record] of Object.entries(bad)) {
    const reading = await readRows(otlpProtobuf, request([span(1), record, span(2)]));
    expect(
      reading.rows.span.map(({ name }) => name),
      reason,
    ).toEqual(['span 1', 'span 2']);
    expect(reasonsOf(reading)).toEqual([reason]);
    expect(Number(reading.rows.reject[0]?.at)).toBeGreaterThan(0);
    expect(reading.rows.reject[0]?.excerpt).not.toBe('');
    for (const table of ['span_event', 'span_link'] as const) expect(reading.rows[table]).toEqual([]);
  }
});

test('a bad span in JSON is one reject and its neighbours stay', async () => {
  const one = (id: string, more: object = {}) => ({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: id,
    name: id,
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    ...more,
  });
  const good = [one('00000000000000a1'), one('00000000000000a2')];
  const bad: object[] = [
    one('00000000000000ff', { traceId: '0af7' }),
    one('xyz'),
    one(''),
    one('00000000000000ff', { startTimeUnixNano: 'noon' }),
    one('00000000000000ff', { startTimeUnixNano: {} }),
    one('00000000000000ff', { attributes: { a: 1 } }),
    one('00000000000000ff', { attributes: 'x' }),
    one('00000000000000ff', { attributes: [{ key: 'a', value: { intValue: 'many' } }] }),
    one('00000000000000ff', { name: 7 }),
    one('00000000000000ff', { endTimeUnixNano: '99999999999999999999999' }),
    one('00000000000000ff', { events: [3] }),
    [] as object,
  ];
  for (const record of bad) {
    const reading = await readJson({ resourceSpans: [{ scopeSpans: [{ spans: [good[0], record, good[1]] }] }] });
    expect(reading.rows.span.length, JSON.stringify(record)).toBe(2);
    expect(reading.rows.reject.length, JSON.stringify(record)).toBe(1);
    expect(reading.rows.span_event).toEqual([]);
  }
});

test('the published broken log requests are rejected where their owners expect an error', async () => {
  const cases = JSON.parse(fixture('fluent-bit/logs.json').toString()) as Record<
    string,
    { input: unknown; expected_error?: { code: string } }
  >;
  // Base64 ids are how Tempo writes them, plain values how labels were; a resource without scopes or a document without resources holds nothing to lose.
  const accepted = [
    'multiple_scopes_second_scope_fails',
    'base64_encoded_trace_span',
    'mixed_encoding_formats',
    'scopeLogs_missing',
    'resourceLogs_missing',
    'resource_valid_scope_missing',
  ];
  for (const [name, { input, expected_error }] of Object.entries(cases)) {
    const reading = await readJson(JSON.stringify(input));
    const rejects = reasonsOf(reading);
    if (expected_error && !accepted.includes(name))
      expect(rejects.length, `${name}: ${rejects}`).toBeGreaterThanOrEqual(1);
    else if (name !== 'missing_timestamp' && !expected_error && name !== 'empty_trace_span_ids_skipped')
      expect(
        rejects.filter((reason) => !reason.includes('without a time')),
        name,
      ).toEqual([]);
  }
});

test('the published log requests give the record that their owners expect', async () => {
  const cases = JSON.parse(fixture('fluent-bit/logs.json').toString()) as Record<
    string,
    { input: unknown; expected?: Json }
  >;
  let compared = 0;
  for (const [name, { input, expected }] of Object.entries(cases)) {
    const wanted = expected?.['log_body'] as Json | undefined;
    if (wanted === undefined) continue;
    const { rows } = await readJson(JSON.stringify(input));
    const [log] = rows.log;
    if (name === 'missing_timestamp') {
      // It has no time at all; it is rejected by name instead of dated today.
      expect(reasonsOf({ rows } as never).join()).toContain('without a time');
      continue;
    }
    const body = String(log?.body);
    // Fluent Bit puts a text below the key log, and has '' and null where a value is empty.
    if (wanted['log'] !== undefined) expect(body, name).toBe(wanted['log']);
    else expect(emptied(JSON.parse(body)), name).toEqual(emptied(wanted));
    const metadata = ((expected!['log_metadata'] as Json)['otlp'] ?? {}) as Json;
    if (metadata['severity_number'] !== undefined) expect(log?.severity, name).toBe(metadata['severity_number']);
    if (metadata['event_name'] !== undefined) expect(log?.event_name, name).toBe(metadata['event_name']);
    if (metadata['trace_flags'] !== undefined) expect(log?.flags, name).toBe(metadata['trace_flags']);
    if (metadata['trace_id'] !== undefined)
      expect(log?.trace_hi, name).toBe(BigInt(`0x${String(metadata['trace_id']).slice(0, 16)}`));
    if (metadata['attributes'] !== undefined)
      expect(JSON.parse(String(log?.attributes)), name).toMatchObject(metadata['attributes'] as Json);
    const group = expected!['group_body'] as Json;
    const resource = (group['resource'] as Json)['attributes'];
    if (resource !== undefined)
      expect(JSON.parse(/\{.*\}$/s.exec(String(log?.resource))?.[0] ?? '{}'), name).toMatchObject(resource as Json);
    compared++;
  }
  expect(compared).toBeGreaterThan(15);
});

type Json = Readonly<Record<string, unknown>>;
const emptied = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (one === '' || json(one) === '{}' ? null : one)));
const json = (value: unknown): string => JSON.stringify(value);

test('deep nesting is a reject, not a stack overflow', async () => {
  const record = (value: string) =>
    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":${value}},{"timeUnixNano":"2"}]}]}]}`;
  const lists = `${'{"arrayValue":{"values":['.repeat(10_000)}${']}}'.repeat(10_000)}`;
  const brackets = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const nested = await readJson(record(lists));
  expect(countsOf(nested)).toEqual({ log: 1, reject: 1 });
  expect(countsOf(await readJson(record(brackets)))).toEqual({ log: 1, reject: 1 });
  expect(countsOf(await readJson(`{"unknown":${brackets},${record('{}').slice(1)}`))).toEqual({ log: 2 });
  expect(countsOf(await readJson('['.repeat(100_000)))).toEqual({ reject: 1 });
  expect(countsOf(await readJson(`{"resourceLogs":${'['.repeat(100_000)}`))).toEqual({ reject: 1 });

  let value: Buffer = Buffer.alloc(0);
  for (let depth = 0; depth < 200; depth++) value = message([[5, [[1, value]]]]);
  const deep: readonly Field[] = [
    [1, 5n, 'fixed64'],
    [5, value],
  ];
  const wire = await readRows(otlpProtobuf, request([deep, [[1, 6n, 'fixed64']]]));
  expect(countsOf(wire)).toEqual({ log: 1, reject: 1 });
  expect(reasonsOf(wire)[0]).toContain('nested deeper');
});

test('stated lengths are not trusted', async () => {
  const huge = Buffer.concat([
    fixed32Framed([request([span(1)])]),
    Buffer.from([0x7f, 0xff, 0xff, 0xff]),
    Buffer.from('rest'),
  ]);
  const reading = await readRows(otlpProtobuf, huge);
  expect(countsOf(reading)).toEqual({ span: 1, reject: 1 });
  expect(reasonsOf(reading)[0]).toContain('framing is lost');
  const claimed = Buffer.concat([request([span(1)]), Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x3f])]);
  expect(countsOf(await readRows(otlpProtobuf, claimed))).toEqual({ span: 1, reject: 1 });
});

describe('compressed streams', () => {
  const text = zstdDecompressSync(fixture('framings/fileexporter-logs.jsonl.zst-native'));

  test.each([
    ['gzip', gzipSync(text)],
    ['zstd', zstdCompressSync(text)],
  ])('cut %s: what could be decoded is kept, the break is one reject', async (_, bytes) => {
    for (const share of [0.1, 0.5, 0.95]) {
      const reading = await readDetected(bytes.subarray(0, Math.floor(bytes.length * share)));
      expect(reading.rows.log.length).toBeGreaterThan(2237 * (share - 0.15));
      expect(reading.rows.reject.length).toBe(1);
      expect(reasonsOf(reading)[0]).toContain('compressed data breaks at byte');
    }
  });

  test.each([
    ['gzip', gzipSync(text)],
    ['zstd', zstdCompressSync(text)],
  ])('corrupt %s ends in a problem after what came before', async (_, bytes) => {
    const damaged = Buffer.from(bytes);
    damaged.fill(0x55, Math.floor(bytes.length * 0.6), Math.floor(bytes.length * 0.6) + 64);
    let length = 0;
    const read = (async () => {
      for await (const chunk of openBytes(chunksOf(damaged))) length += chunk.length;
    })();
    await expect(read).rejects.toMatchObject({ problem: { code: BROKEN_STREAM } });
    expect(length).toBeGreaterThan(text.length * 0.3);
  });

  test('a bomb stays small in memory', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(256 << 20));
    let largest = 0;
    for await (const chunk of openBytes(chunksOf(bomb))) largest = Math.max(largest, chunk.length);
    expect(largest).toBeLessThanOrEqual(65_536);
  });

  test('pieces of any size', async () => {
    for (const bytes of [
      gzipSync(text),
      zstdCompressSync(text),
      Buffer.concat([zstdCompressSync(text.subarray(0, 999)), zstdCompressSync(text.subarray(999))]),
    ]) {
      for (const size of [1 << 20, 1000, 13]) {
        const parts: Uint8Array[] = [];
        for await (const chunk of openBytes(chunksOf(bytes, size))) parts.push(chunk);
        expect(Buffer.concat(parts).equals(text)).toBe(true);
      }
    }
  });
});
