import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sources } from '../../src/main/sources/index.ts';
import { jaegerJson } from '../../src/main/sources/jaeger-json/index.ts';
import { contentId, spanId, traceId } from '../../src/main/sources/traces/ids.ts';
import { microsToNanos } from '../../src/main/sources/traces/micros.ts';
import { zipkinJson } from '../../src/main/sources/zipkin-json/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { countsOf, readSource, reasonsOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const fixture = (path: string) => readFileSync(join(import.meta.dirname, '../../fixtures', path));
const claims = (text: string | Uint8Array) => {
  const head = new FileHead(Buffer.from(text));
  return sources.filter((source) => source.detect(head)).map(({ id }) => id);
};
const tags = (pairs: Readonly<Record<string, unknown>>) =>
  Object.entries(pairs).map(([key, value]) => ({ key, type: 'string', value }));

const trace = '9ced30503c58dab894a2d7598b01a87a';
const span = (over: Readonly<Record<string, unknown>> = {}) => ({
  traceID: trace,
  spanID: '4b52eb0cabcb50a',
  flags: 1,
  operationName: 'GET /owners',
  references: [] as unknown[],
  startTime: 1573196810403381,
  duration: 415,
  tags: [] as unknown[],
  logs: [] as unknown[],
  processID: 'p1',
  warnings: null,
  ...over,
});
const traceOf = (...spans: readonly unknown[]) => ({
  traceID: trace,
  spans,
  processes: { p1: { serviceName: 'api', tags: tags({ hostname: 'web-3', ip: '10.0.0.3', version: '7' }) } },
});
const jaeger = (document: unknown) => readSource(jaegerJson, JSON.stringify(document));
const rowOf = async (over: Readonly<Record<string, unknown>>) => {
  const reading = await jaeger({ data: [traceOf(span(over))] });
  return { reading, row: reading.rows.span[0] ?? {} };
};

test('ids: short ones are padded, foreign ones hashed, empty ones refused', () => {
  expect(traceId('4b52eb0cabcb50a')).toEqual({ hi: 0n, lo: 0x4b52eb0cabcb50an, exact: true });
  expect(traceId('df84e36b9e2ee3815d07f0867a5be1f')).toMatchObject({ hi: 0xdf84e36b9e2ee38n, lo: 0x15d07f0867a5be1fn });
  expect(spanId('0000000000000003')?.lo).toBe(3n);
  expect(spanId('not-hex')).toMatchObject({ exact: false });
  expect(spanId('not-hex')).toEqual(spanId('not-hex'));
  for (const bad of ['', '0000', undefined, null, 7, {}]) expect(spanId(bad)).toBeUndefined();
  const many = new Set(Array.from({ length: 100_000 }, (_, i) => contentId(`event ${i}`)));
  expect(many.size).toBe(100_000);
});

test('microseconds become nanoseconds to the last digit', () => {
  expect(microsToNanos(1573196810403381)).toBe(1573196810403381000n);
  expect(microsToNanos('1573196810403381')).toBe(1573196810403381000n);
  expect(microsToNanos(1212075528731.11)).toBe(1212075528731110n);
  for (const bad of [-1, Number.NaN, 1e300, '', 'x', null, {}, 10n ** 30n]) expect(microsToNanos(bad)).toBeUndefined();
});

describe('jaeger', () => {
  test('a span with its service, host, times and parent', async () => {
    const references = [{ refType: 'CHILD_OF', traceID: trace, spanID: '7' }];
    const { reading, row } = await rowOf({ references, tags: tags({ 'span.kind': 'client', 'http.method': 'GET' }) });
    expect(row).toMatchObject({
      trace_hi: 0x9ced30503c58dab8n,
      trace_lo: 0x94a2d7598b01a87an,
      span_id: 0x4b52eb0cabcb50an,
      parent_id: 7n,
      start_ns: 1573196810403381000n,
      end_ns: 1573196810403796000n,
      name: 'GET /owners',
      service: 'service:api',
      kind: 3,
      status: 0,
      flags: 1,
      attributes: '{"http.method":"GET"}',
    });
    expect(row['resource']).toContain('"service.name":"api","host.name":"web-3","host.ip":"10.0.0.3","version":"7"');
    expect(reading.entities.get('server:web-3')?.aliases).toEqual(['host_name=web-3', 'ip_address=10.0.0.3']);
    expect(reading.rows.edge).toEqual([
      expect.objectContaining({ from_entity: 'service:api', kind: 'runs_on', provenance: 'jaeger process' }),
    ]);
  });

  test.each([
    [{ error: true }, 2, ''],
    [{ error: 'true' }, 2, ''],
    [{ error: 'no route' }, 2, 'no route'],
    [{ error: false }, 0, ''],
    [{ error: 'false' }, 0, ''],
    [{ 'otel.status_code': 'ERROR', 'otel.status_description': 'why' }, 2, 'why'],
    [{ 'otel.status_code': 'OK' }, 1, ''],
    [{}, 0, ''],
  ])('%j has status %i', async (pairs, status, message) => {
    const { row } = await rowOf({ tags: tags(pairs) });
    expect(row).toMatchObject({ status, status_message: message });
  });

  test('kinds, scope and trace state are columns', async () => {
    for (const [kind, number] of Object.entries({ internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }))
      expect((await rowOf({ tags: tags({ 'span.kind': kind }) })).row['kind']).toBe(number);
    const pairs = {
      'otel.scope.name': 'lib',
      'otel.scope.version': '1.2',
      'w3c.tracestate': 'a=b',
      'span.kind': 'odd',
    };
    const { row } = await rowOf({ tags: tags(pairs) });
    expect(row).toMatchObject({ scope: 'lib@1.2', trace_state: 'a=b', kind: 0, attributes: '{"span.kind":"odd"}' });
  });

  test('references that are not the parent are links', async () => {
    const other = '00000000000000ff';
    const { reading, row } = await rowOf({
      references: [
        { refType: 'FOLLOWS_FROM', traceID: trace, spanID: '4' },
        { refType: 'CHILD_OF', traceID: trace, spanID: '3' },
        { refType: 'CHILD_OF', traceID: other, spanID: other },
        { refType: 'CHILD_OF', traceID: trace, spanID: '5' },
      ],
    });
    expect(row['parent_id']).toBe(3n);
    expect(
      reading.rows.span_link.map((link) => [link['linked_trace_lo'], link['linked_span_id'], link['attributes']]),
    ).toEqual([
      [0x94a2d7598b01a87an, 4n, '{"opentracing.ref_type":"follows_from"}'],
      [0xffn, 0xffn, '{"opentracing.ref_type":"child_of"}'],
      [0x94a2d7598b01a87an, 5n, '{"opentracing.ref_type":"child_of"}'],
    ]);
  });

  test('logs are events; what they name is their name', async () => {
    const logs = [
      { timestamp: 1573196810403400, fields: tags({ event: 'retry', attempt: 2 }) },
      { timestamp: 1573196810403401, fields: tags({ message: 'late' }) },
      { fields: [] },
    ];
    const { reading } = await rowOf({ logs });
    expect(reading.rows.span_event).toMatchObject([
      { time_ns: 1573196810403400000n, name: 'retry', attributes: '{"attempt":2}', span_id: 0x4b52eb0cabcb50an },
      { name: '', attributes: '{"message":"late"}' },
    ]);
    expect(reasonsOf(reading)).toEqual(['log of a span without a time']);
  });

  test('values without a column are kept', async () => {
    const { row } = await rowOf({ warnings: ['clock skew'], extra: 1, spanID: 'weird id' });
    expect(JSON.parse(row['attributes'] as string)).toEqual({
      'jaeger.warnings': ['clock skew'],
      'jaeger.extra': 1,
      'jaeger.span_id': 'weird id',
    });
  });

  test('one trace, a list, lines, a response of the API and hits of Elasticsearch give the same rows', async () => {
    const one = traceOf(span(), span({ spanID: '8', processID: 'p9' }));
    const forms = [one, [one], { data: [one], total: 0, limit: 0, offset: 0, errors: null }];
    const texts = [...forms.map((form) => JSON.stringify(form)), `${JSON.stringify(one)}\n`];
    for (const text of texts) {
      expect(claims(text)).toEqual(['jaeger-json']);
      const { rows } = await readSource(jaegerJson, text);
      expect(rows.span.map((row) => [row['span_id'], row['service']])).toEqual([
        [0x4b52eb0cabcb50an, 'service:api'],
        [8n, ''],
      ]);
    }
    const { processID: _, ...document } = span({ process: one.processes.p1 });
    const hits = { took: 3, hits: { total: 2, hits: [{ _index: 'jaeger-span', _source: document }] } };
    const dumped = `${JSON.stringify({ _index: 'a', _source: document })}\n${JSON.stringify({ _index: 'a', _source: document })}\n`;
    for (const [text, count] of [
      [JSON.stringify(hits), 1],
      [dumped, 2],
      [JSON.stringify(document), 1],
      [JSON.stringify([document]), 1],
    ] as const) {
      expect(claims(text)).toEqual(['jaeger-json']);
      const { rows } = await readSource(jaegerJson, text);
      expect(rows.span).toHaveLength(count);
      expect(rows.span[0]).toMatchObject({ service: 'service:api', name: 'GET /owners' });
    }
  });

  test('Elasticsearch keeps values as text, protobuf JSON writes ids as base64: the spans are equal', async () => {
    const text = await readSource(jaegerJson, fixture('jaeger-json/elasticsearch/es_01_string_tags.json'));
    expect(text.rows.span[0]).toMatchObject({
      trace_hi: 1n,
      trace_lo: 0n,
      parent_id: 3n,
      scope: 'testing-library@1.1.1',
      status: 2,
      attributes: '{"peer.service":"service-y","peer.ipv4":23456,"blob":"00003039","temperature":72.5}',
    });
    const domain = await readSource(jaegerJson, fixture('jaeger-json/elasticsearch/domain_es_01.json'));
    expect(domain.rows.span[0]).toMatchObject({
      trace_lo: 1n,
      span_id: 2n,
      parent_id: 3n,
      start_ns: 1485467191639875000n,
      end_ns: 1485467191639880000n,
      service: 'service:service-x',
      status: 2,
    });
    expect(domain.rows.span_link).toHaveLength(2);
    expect(domain.rows.span_event[0]).toMatchObject({ attributes: '{"event":123415}' });
  });

  test('every Jaeger recording reads without a reject', async () => {
    for (const [path, spans] of [
      ['otlp/jaeger-ui/otlp2jaeger-out.json', 2],
      ['otlp/jaeger-ui/oltp2jaeger-multi-out.json', 4],
      ['traces-other/jaeger-ui/spanLongerAsParent.json', 8],
      ['traces-other/jaeger-ui/traceWithTwoNonOverlappingChildren.json', 3],
      ['traces-other/jaeger/converter/thrift/jaeger/domain_01.json', 1],
      ['traces-other/jaeger/storage/v2/elasticsearch/tracestore/core/es_01.json', 1],
    ] as const) {
      const content = readFileSync(sharedData(path));
      expect(claims(content)).toEqual(['jaeger-json']);
      const counts = countsOf(await readSource(jaegerJson, content));
      expect([path, counts['span'], counts['reject']]).toEqual([path, spans, undefined]);
    }
  });

  test('bad spans are rejects and their neighbours stay', async () => {
    const bad = [
      7,
      null,
      span({ traceID: '' }),
      span({ spanID: '0' }),
      span({ startTime: 0 }),
      span({ startTime: 'soon' }),
      span({ startTime: '2024-01-01T00:00:00' }),
      span({ startTime: 9.2e15, duration: 9.2e15 }),
      span({ duration: 'long' }),
    ];
    const text = JSON.stringify(
      traceOf(...bad, span({ tags: 5, logs: {}, references: [null, {}], operationName: {} })),
    );
    const reading = await readSource(jaegerJson, text);
    expect(reasonsOf(reading)).toHaveLength(bad.length);
    expect(reading.rows.span).toHaveLength(1);
    const nested = text.replace('"tags":5', `"tags":[{"key":"k","value":${'['.repeat(20_000)}${']'.repeat(20_000)}}]`);
    expect(reasonsOf(await readSource(jaegerJson, nested)).join()).toMatch(/nested too deeply/);
  });

  test('prototype keys are only keys', async () => {
    const text = JSON.stringify(traceOf(span({ processID: 'constructor' }))).replace(
      '"tags":[]',
      '"tags":[{"key":"__proto__","value":1}]',
    );
    const reading = await readSource(jaegerJson, text);
    expect(reading.rows.span[0]).toMatchObject({ service: '', attributes: '{"__proto__":1}' });
  });
});

describe('zipkin', () => {
  const at = 1543334727210025;
  const base = (over: Readonly<Record<string, unknown>> = {}) => ({
    traceId: '8ce82b2e9ed820ba',
    id: 'a1',
    kind: 'CLIENT',
    name: 'get',
    timestamp: at,
    duration: 100,
    localEndpoint: { serviceName: 'web', ipv4: '10.0.0.1', port: 80 },
    ...over,
  });
  const server = (over: Readonly<Record<string, unknown>> = {}) =>
    base({
      kind: 'SERVER',
      timestamp: at + 10,
      duration: 50,
      localEndpoint: { serviceName: 'auth', ipv4: '10.0.0.2' },
      ...over,
    });
  const read = (document: unknown) => readSource(zipkinJson, JSON.stringify(document));
  /** Names with the names of their parents. */
  const tree = async (spans: readonly unknown[]) => {
    const { rows } = await read(spans);
    const names = new Map(rows.span.map((row) => [row['span_id'], `${row['service']}/${row['name']}`]));
    return rows.span.map(
      (row) => `${row['service']}/${row['name']} < ${names.get(row['parent_id']) ?? row['parent_id']}`,
    );
  };

  test('a span with everything', async () => {
    const { rows } = await read([
      base({
        parentId: 'b2',
        remoteEndpoint: { serviceName: 'db', ipv6: '::1', port: 9042 },
        annotations: [{ timestamp: at + 5, value: 'sent' }],
        tags: { 'http.path': '/' },
        debug: true,
      }),
    ]);
    expect(rows.span).toMatchObject([
      {
        trace_hi: 0n,
        trace_lo: 0x8ce82b2e9ed820ban,
        span_id: 0xa1n,
        parent_id: 0xb2n,
        start_ns: BigInt(at) * 1000n,
        end_ns: BigInt(at + 100) * 1000n,
        kind: 3,
        service: 'service:web',
      },
    ]);
    expect(JSON.parse(rows.span[0]?.attributes as string)).toEqual({
      'http.path': '/',
      'network.local.address': '10.0.0.1',
      'network.local.port': 80,
      'network.peer.address': '::1',
      'network.peer.port': 9042,
      'peer.service': 'db',
      'zipkin.debug': true,
    });
    expect(rows.span_event).toMatchObject([{ name: 'sent', time_ns: BigInt(at + 5) * 1000n, span_id: 0xa1n }]);
  });

  test('a tag error is a failure, its value the message', async () => {
    const { rows } = await read(
      [{ error: 'boom' }, { error: '' }, { error: 'true' }, { error: 'false' }, {}].map((pairs, i) =>
        base({ id: `${i + 1}`, tags: pairs }),
      ),
    );
    expect(rows.span.map((row) => [row['status'], row['status_message']])).toEqual([
      [2, 'boom'],
      [2, ''],
      [2, ''],
      [0, ''],
      [0, ''],
    ]);
  });

  test("client and server of one id are two spans, and the server's calls are children of its half", async () => {
    const spans = [
      base({ id: 'a', kind: 'SERVER', name: 'root' }),
      base({ parentId: 'a' }),
      server({ parentId: 'a', shared: true }),
      base({ id: 'c', parentId: 'a1', name: 'query', localEndpoint: { serviceName: 'auth', ipv4: '10.0.0.2' } }),
      base({ id: 'd', parentId: 'a1', name: 'callback', kind: undefined }),
    ];
    expect(await tree(spans)).toEqual([
      'service:web/root < 0',
      'service:web/get < service:web/root',
      'service:auth/get < service:web/get',
      'service:auth/query < service:auth/get',
      'service:web/callback < service:web/get',
    ]);
    // In any order, and without the mark.
    expect((await tree(spans.toReversed())).toSorted()).toEqual((await tree(spans)).toSorted());
    expect(await tree(spans.map((one) => ({ ...one, shared: undefined })))).toEqual(await tree(spans));
  });

  test('several servers of one id are distinguished, and ids do not depend on the file', async () => {
    const second = server({ shared: true, localEndpoint: { serviceName: 'auth', ipv4: '10.0.0.9' } });
    const below = base({
      id: 'e',
      parentId: 'a1',
      name: 'below',
      localEndpoint: { serviceName: 'auth', ipv4: '10.0.0.9' },
    });
    const all = await read([base(), server({ shared: true }), second, below]);
    const ids = all.rows.span.map((row) => row['span_id']);
    expect(new Set(ids).size).toBe(4);
    expect(all.rows.span[3]?.parent_id).toBe(ids[2]);
    const alone = await read([second]);
    expect(alone.rows.span[0]).toMatchObject({ span_id: ids[2], parent_id: 0xa1n });
  });

  test('a server with its own id keeps it', async () => {
    const { rows } = await read([server({ id: 'f', parentId: 'a1' })]);
    expect(rows.span[0]).toMatchObject({ span_id: 0xfn, parent_id: 0xa1n });
  });

  test('version 1: both sides of a call in one span', async () => {
    const { rows } = await readSource(zipkinJson, fixture('zipkin-json/version-1.json'));
    const [client, serverHalf, local] = rows.span;
    expect(client).toMatchObject({
      span_id: 0xebf33e1a81dc6f71n,
      parent_id: 0xbd7a977555f6b982n,
      kind: 3,
      service: 'service:frontend',
      status: 0,
      start_ns: 1458702548478000000n,
      end_ns: 1458702548832374000n,
    });
    expect(JSON.parse(client?.['attributes'] as string)).toMatchObject({
      'http.path': '/api',
      'peer.service': 'backend',
    });
    expect(serverHalf).toMatchObject({
      parent_id: 0xebf33e1a81dc6f71n,
      kind: 2,
      service: 'service:backend',
      status: 2,
      status_message: 'overloaded',
      start_ns: 1458702548480000000n,
      end_ns: 1458702548830000000n,
    });
    expect(local).toMatchObject({
      kind: 0,
      service: 'service:backend',
      parent_id: serverHalf?.['span_id'],
      attributes: expect.stringContaining('"lc":"template"'),
    });
    expect(rows.span_event).toMatchObject([{ name: 'retry', span_id: 0xebf33e1a81dc6f71n }]);
  });

  test('the recorded trace: 45 shared halves, 175 spans with 175 ids, every parent found', async () => {
    const { rows } = await readSource(zipkinJson, fixture('zipkin-json/smartthings-oauth-authorization.json'));
    expect(rows.reject).toEqual([]);
    expect(rows.span).toHaveLength(175);
    const ids = new Set(rows.span.map((row) => row['span_id']));
    expect(ids.size).toBe(175);
    expect(rows.span.filter((row) => row['parent_id'] !== 0n && !ids.has(row['parent_id']))).toEqual([]);
    // Each shared half is a child of its client.
    const byId = new Map(rows.span.map((row) => [row['span_id'], row]));
    const servers = rows.span.filter((row) => row['kind'] === 2 && byId.get(row['parent_id'])?.['kind'] === 3);
    expect(servers).toHaveLength(45);
  });

  test('lists of traces and one span to a line', async () => {
    expect((await read([[base()], [base({ id: 'a2' })]])).rows.span).toHaveLength(2);
    const lines = `${JSON.stringify(base())}\n${JSON.stringify(base({ id: 'a2' }))}\n`;
    expect(claims(lines)).toEqual(['zipkin-json']);
    expect((await readSource(zipkinJson, lines)).rows.span).toHaveLength(2);
  });

  test('other formats are left alone', () => {
    expect(claims(JSON.stringify([base()]))).toEqual(['zipkin-json']);
    for (const document of [
      [],
      {},
      [[]],
      [{ traceId: 'x y', id: '1', kind: 'CLIENT' }],
      [{ traceId: 'a', spanId: 'b', id: 1 }],
      [{ id: 1, kind: 'x' }],
    ])
      expect(claims(JSON.stringify(document))).not.toContain('zipkin-json');
    expect(claims(JSON.stringify({ data: [] }))).toEqual([]);
    expect(claims(JSON.stringify({ data: [{ id: 1 }] }))).toEqual([]);
  });

  test('bad spans are rejects and their neighbours stay', async () => {
    const bad = [
      7,
      base({ traceId: '' }),
      base({ id: '' }),
      base({ timestamp: undefined }),
      base({ timestamp: -5 }),
      base({ timestamp: 9.2e15, duration: 9.2e15 }),
      base({ duration: 'x' }),
    ];
    const reading = await read([...bad, base({ localEndpoint: 5, tags: [], annotations: {}, kind: {}, name: null })]);
    expect(reasonsOf(reading)).toHaveLength(bad.length);
    expect(reading.rows.span).toHaveLength(1);
  });
});
