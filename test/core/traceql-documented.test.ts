import { expect, test } from 'vitest';
import { traceMetric } from '../../src/core/api/traces/trace-metric.ts';
import { parseSearch } from '../../src/model/traceql/parse-search.ts';
import type { TestCore } from '../support/core.ts';
import { atSecond, recordedCase } from '../support/software-case.ts';
import { atMs, traceCase, traceIdOf } from '../support/trace-case.ts';

let core: TestCore;
/** Two requests: one that asks a database twice, and one that fails by itself. */
const open = async (): Promise<void> => {
  core = await traceCase([
    {
      trace: 'A',
      id: 'a',
      name: 'GET /',
      service: 'web',
      kind: 2,
      from: 0,
      to: 1000,
      values: { size: 100, limit: 50 },
    },
    {
      trace: 'A',
      id: 'b',
      parent: 'a',
      name: 'query',
      service: 'db',
      kind: 3,
      from: 100,
      to: 300,
      values: { size: 30, limit: 50 },
    },
    {
      trace: 'A',
      id: 'c',
      parent: 'a',
      name: 'query',
      service: 'db',
      kind: 3,
      from: 400,
      to: 900,
      failed: 'late',
      values: { size: 60 },
    },
    {
      trace: 'B',
      id: 'd',
      name: 'GET /',
      service: 'web',
      kind: 2,
      from: 60_000,
      to: 60_200,
      failed: 'no',
      values: { size: 10 },
    },
  ]);
};

/** Each trace found, with how many of its spans match. */
async function found(query: string): Promise<string> {
  const { traces } = await core.api['traces.search']({ query, order: 'earliest' });
  const letters = new Map(['A', 'B'].map((letter) => [traceIdOf(letter), letter]));
  return traces.map(({ trace_id, matched }) => `${letters.get(trace_id)}${matched}`).join(' ');
}

const cases: readonly (readonly [query: string, found: string])[] = [
  ['{ span.size > 10 * 5 }', 'A2'],
  ['{ span.size > span.limit }', 'A1'],
  ['{ span.size + span.limit = 80 }', 'A1'],
  ['{ (span.size - 10) * 2 >= 100 }', 'A2'],
  ['{ duration / 2 > 400ms }', 'A1'],
  ['{ span.size % 20 = 10 }', 'A1 B1'],
  ['{ 2 ^ 3 ^ 2 = span.size + 412 }', 'A1'],
  ['{ name = resource.service.name }', ''],
  ['{ span.size / 0 > 1 }', ''],
  [`{ span:parentID = "${'0'.repeat(14)}61" }`, 'A2'],
  ['{ span:childCount = 0 }', 'A2 B1'],
  ['{ span:childCount > 1 }', 'A1'],
  ['{ span:childCount < 3 }', 'A3 B1'],
  ['{ } !< { status = error }', 'A1 B1'],
  ['{ status = error } !> { name = "query" }', 'A2'],
  ['{ name = "GET /" } !>> { }', 'A1 B1'],
  ['{ status = error } !~ { name = "query" }', 'A1'],
  ['{ name = "GET /" } &> { name = "query" }', 'A3'],
  ['{ name = "GET /" } &>> { status = error }', 'A2'],
  ['{ status = error } &~ { name = "query" }', 'A2'],
  ['{ } | { status = error }', 'A1 B1'],
  ['{ name = "query" } | avg(span.size) > 40', 'A2'],
  ['{ } | sum(span.size) > 150', 'A3'],
  ['{ } | max(duration) > 500ms | count() = 3', 'A3'],
  ['{ } | by(resource.service.name) | count() > 1', 'A2'],
  ['{ } | by(name, status) | count() > 1', ''],
  ['{ } | by(resource.service.name) | coalesce() | count() > 2', 'A3'],
  ['count() > 1', 'A3'],
  ['{ event:name = "exception" }', ''],
  ['{ event:timeSinceStart > 2ms }', ''],
  ['{ event.exception.message = nil }', 'A3 B1'],
  ['{ link:traceID = "1234" }', ''],
  ['{ instrumentation:name = "grpc" }', ''],
  ['{ span.size != minInt && span.size != maxInt }', 'A3 B1'],
];

test('what Tempo documents of spans finds the spans that it should', async () => {
  await open();
  for (const [query, expected] of cases) expect([query, await found(query)]).toEqual([query, expected]);
});

test('the latest come first where the hint asks for it, and select lists fields of the longest match', async () => {
  await open();
  const { traces } = await core.api['traces.search']({ query: '{ } with (most_recent=true)' });
  expect(traces.map(({ trace_id }) => trace_id)).toEqual(['B', 'A'].map(traceIdOf));
  const found = await core.api['traces.search']({
    query: '{ status = error } | select(span.size, status, .missing)',
    order: 'earliest',
  });
  expect(found.fields).toEqual(['span.size', 'status', '.missing']);
  expect(found.traces.map(({ selected }) => selected)).toEqual([
    ['60', 'error', 'nil'],
    ['10', 'error', 'nil'],
  ]);
});

/** Of each kind, and mixed; B has a text that reads like a list. */
const openLists = async (): Promise<void> => {
  const line = (trace: string, id: string, values: object) =>
    ({ trace, id, name: 'GET /', service: 'web', from: 0, to: 10, values: { ...values }, kind: 2 }) as const;
  core = await traceCase([
    line('A', 'a', { accept: ['text/html', 'application/json'], sizes: [1, 20], mixed: ['x', 5, true] }),
    line('B', 'b', { accept: '["text/html"]', sizes: 20, mixed: [] }),
    { ...line('A', 'c', { accept: 'text/html' }), parent: 'a', resource: { zones: ['a', 'b'] } },
  ]);
};

const lists: readonly (readonly [query: string, found: string])[] = [
  ['{ span.accept = "text/html" }', 'A2'],
  ['{ span.accept =~ "application.*" }', 'A1'],
  ['{ span.accept =~ "text.*" }', 'A2'],
  // None of them, where there is any of the kind.
  ['{ span.accept != "application/json" }', 'A1 B1'],
  ['{ span.accept !~ "application.*" }', 'A1 B1'],
  ['{ span.accept = `["text/html"]` }', 'B1'],
  ['{ span.sizes = 20 }', 'A1 B1'],
  ['{ span.sizes > 10 }', 'A1 B1'],
  ['{ span.sizes < 10 }', 'A1'],
  ['{ span.sizes != 1 }', 'B1'],
  ['{ span.sizes = "20" }', ''],
  ['{ span.mixed = true }', 'A1'],
  ['{ span.mixed != "y" }', 'A1'],
  ['{ span.mixed != nil }', 'A1 B1'],
  ['{ resource.zones = "b" }', 'A1'],
  ['{ .zones = "b" }', 'A1'],
  ['{ parent.span.accept = "application/json" }', 'A1'],
];

test('an attribute that is a list matches by any of its elements, and differs by none', async () => {
  await openLists();
  for (const [query, expected] of lists) expect([query, await found(query)]).toEqual([query, expected]);
});

const parents: readonly (readonly [query: string, found: string])[] = [
  ['{ parent.duration = 1s }', 'A2'],
  ['{ parent.duration > 2s }', ''],
  ['{ parent.name = "GET /" }', 'A2'],
  ['{ parent.name != "query" }', 'A2'],
  ['{ parent.status = error }', ''],
  ['{ parent.kind = server && status = error }', 'A1'],
  ['{ parent.span.size > 3 }', 'A2'],
  ['{ parent.size != 3 }', 'A2'],
  ['{ parent.resource.service.name = "web" }', 'A2'],
  ['{ parent.service.name = "db" }', ''],
  // A root has no parent, and so no attribute of one.
  ['{ parent.size = nil }', 'A1 B1'],
  ['{ parent.size != nil }', 'A2'],
  ['{ !(parent.size = 100) }', 'A1 B1'],
  ['{ parent.resource.a || true }', 'A3 B1'],
  ['{ duration > parent.duration / 3 }', 'A1'],
  ['{ span.size + 40 = parent.span.size }', 'A1'],
  ['{ name = parent.name }', ''],
  ['{ } | by(parent.name) | count() = 2', 'A2'],
  ['{ } | max(parent.duration) = 1s', 'A3'],
];

test('a span is found by what its parent is', async () => {
  await open();
  for (const [query, expected] of parents) expect([query, await found(query)]).toEqual([query, expected]);
  const { traces } = await core.api['traces.search']({
    query: '{ status = error } | select(parent.name, parent.size)',
  });
  expect(new Map(traces.map(({ trace_id, selected }) => [trace_id, selected]))).toEqual(
    new Map([
      [traceIdOf('A'), ['GET /', '100']],
      [traceIdOf('B'), ['nil', 'nil']],
    ]),
  );
  expect((await metric('{ } | count_over_time() by (parent.name)')).series).toEqual([
    { labels: [{ name: 'parent.name', value: 'GET /' }], values: [2, 0] },
    { labels: [{ name: 'parent.name', value: 'nil' }], values: [1, 1] },
  ]);
  for (const query of ['{ parent.rootName = "a" }', '{ parent.event.a = 1 }', '{ parent. = 1 }', '{ parent }'])
    expect(() => parseSearch(query)).toThrow(/character 3/);
});

test('compare lists what a selection has more or less often than the other spans', async () => {
  await open();
  const { series, comparison, unit } = await metric('{ } | compare({ status = error })');
  expect(unit).toBe('');
  expect(series).toEqual([
    { labels: [{ name: '__meta_type', value: 'selection' }], values: [1, 1] },
    { labels: [{ name: '__meta_type', value: 'baseline' }], values: [2, 0] },
  ]);
  expect(comparison).toMatchObject({ selection: 2, baseline: 2, share: 1, cut: [] });
  const shares = Object.fromEntries(
    comparison!.values.map(({ attribute, value, selection, baseline }) => [
      `${attribute} ${value}`,
      [selection, baseline],
    ]),
  );
  expect(shares).toMatchObject({
    'status error': [2, 0],
    'status unset': [0, 2],
    'name query': [1, 1],
    'kind client': [1, 1],
    'resource.service.name web': [1, 1],
    'span.limit 50': [0, 2],
    'span.size 60': [1, 0],
    'span.size 100': [0, 1],
  });
  // Greatest difference first; four spans are no proof.
  expect(comparison!.values[0]).toMatchObject({ attribute: 'span.limit', value: '50' });
  expect(comparison!.values.every(({ chance }) => chance !== null && chance > 0.05)).toBe(true);
  const one = await metric('{ } | compare({ status = error }, 1)');
  expect(one.comparison!.cut).toContainEqual({ attribute: 'span.size', values: 4 });
  const late = await metric(`{ } | compare({ }, 10, ${atMs(50_000)}, ${atMs(70_000)})`);
  expect(late.comparison).toMatchObject({ selection: 1, baseline: 3 });
  const none = await metric('{ } | compare({ name = "none" })');
  expect(none.comparison).toMatchObject({ selection: 0, baseline: 4 });
  expect(none.comparison!.values.every(({ chance }) => chance === null)).toBe(true);
  for (const query of [
    '{ } | compare()',
    '{ } | compare({ }, 0)',
    '{ } | compare({ }, 10, 5)',
    '{ } | compare({ }, 10, 5, 3)',
    '{ } | compare({ }, 101)',
    '{ } | compare({ }) | topk(3)',
  ])
    expect(() => parseSearch(query)).toThrow(/character/);
});

const metric = (query: string) =>
  core.api['traces.metric']({ query, start_ns: atMs(0), end_ns: atMs(120_000) - 1n, buckets: 2 });

test('metrics are series over time, by group, in seconds where lengths are measured', async () => {
  await open();
  expect(await metric('{ } | count_over_time() by (resource.service.name)')).toMatchObject({
    step_ns: 60_000_000_000n,
    series: [
      { labels: [{ name: 'resource.service.name', value: 'db' }], values: [2, 0] },
      { labels: [{ name: 'resource.service.name', value: 'web' }], values: [1, 1] },
    ],
  });
  expect(await metric('{ } | rate()')).toMatchObject({
    unit: '1/s',
    series: [{ labels: [], values: [3 / 60, 1 / 60] }],
  });
  expect(await metric('{ } | max_over_time(duration)')).toMatchObject({ unit: 's', series: [{ values: [1, 0.2] }] });
  expect(await metric('{ } | sum_over_time(span.size)')).toMatchObject({ series: [{ values: [190, 10] }] });
  expect(await metric('{ } | quantile_over_time(duration, 1, 0)')).toMatchObject({
    series: [
      { labels: [{ name: 'quantile', value: '1' }], values: [1, 0.2] },
      { labels: [{ name: 'quantile', value: '0' }], values: [0.2, 0.2] },
    ],
  });
  expect((await metric('{ } | histogram_over_time(duration)')).series.map(({ labels }) => labels[0]?.value)).toEqual([
    '0.25',
    '0.5',
    '1',
  ]);
});

test('a metric keeps the highest or lowest series, and only points that are asked for', async () => {
  await open();
  const names = async (query: string) => (await metric(query)).series.map(({ labels }) => labels[0]?.value);
  expect(await names('{ } | rate() by (name) | topk(1)')).toEqual(['GET /']);
  expect(await names('{ } | avg_over_time(duration) by (name) | bottomk(1)')).toEqual(['query']);
  expect((await metric('{ } | count_over_time() > 1')).series[0]?.values).toEqual([3, null]);
  await expect(metric('{ }')).rejects.toThrow('no metric');
  await expect(core.api['traces.search']({ query: '{ } | rate()' })).rejects.toThrow('finds no traces');
});

test('a metric by a field that differs in each span is refused before its series are made', async () => {
  const session = await recordedCase((recording) => recording.requests([1, 2], 'web GET <-->'));
  await session.execute(
    `insert into span select s.* replace (i::ubigint as span_id) from (from span limit 1) s, range(1000, 201001) numbers(i)`,
  );
  const ask = (query: string) =>
    traceMetric(
      session,
      { query, start_ns: null, end_ns: null, buckets: 2 },
      { bounds: { first_ns: atSecond(0), last_ns: atSecond(60) } },
    );
  await expect(ask('{ } | rate() by (span:id)')).rejects.toMatchObject({ problem: { code: 'traceql.too_large' } });
  expect((await ask('{ } | rate() by (name)')).series).toHaveLength(1);
});

const documented = [
  '{ resource.service.name="frontend" } >> { status = error }',
  '{ span.http.request.header.Accept =~ "application.*" }',
  '{ status = error } | by(resource.service.name) | count() > 1',
  '{ span."attribute name with space" = "value" }',
  '{ span.http.status_code >= "400" }',
  '{ name = "GET /:endpoint" } | quantile_over_time(duration, .99, .9, .5)',
  '{ name = "GET /:endpoint" } | quantile_over_time(duration, .99) by (span.http.target)',
  '{ span:duration < 5ms } | count_over_time() by(resource.service.name) | topk(10)',
  '{} | rate() by (resource.service.name) > 10',
  '{ link.opentracing.ref_type = "child_of" }',
  '{ instrumentation.language = "java" }',
  '{ resource.service.name = "foo" } | rate() by (instrumentation:name)',
  '{ event:timeSinceStart > -5s }',
  '{ span.cache.hit || span.http.status_code = 500 }',
  '{ trace:rootName !~ ".*perf.*" } && ({ kind = server } || { kind = client })',
  '{ span.foo = "bar" } >> { status = error } with (most_recent=true)',
  '{ (span.a = 1 || span.b = 2) && !(span.c = 3) }',
  '{ parent.a != 3 }',
  '{ parent.resource.a && true }',
  '{ parent.span.a > 3 }',
  '{ parent.duration = 1h }',
  '{ span.http.request.header.Accept !~ "application.*" }',
  '{ resource.service.name="a" && span.http.path="/myapi" } | compare({status=error})',
  '{ } | compare({status=error}, 10, 1767225600000000000, 1767225600100000000)',
];

test('the examples of its documentation are understood, and can be run', async () => {
  await open();
  for (const query of documented) {
    const input = { query, start_ns: atMs(0), end_ns: atMs(1) };
    const { metric: isMetric } = parseSearch(query);
    await (isMetric ? core.api['traces.metric'](input) : core.api['traces.search'](input));
  }
});
