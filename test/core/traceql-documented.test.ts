import { expect, test } from 'vitest';
import { parseSearch } from '../../src/model/traceql/parse-search.ts';
import type { TestCore } from '../support/core.ts';
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
];

test('the examples of its documentation are understood, and can be run', async () => {
  await open();
  for (const query of documented) {
    const input = { query, start_ns: atMs(0), end_ns: atMs(1) };
    const { metric: isMetric } = parseSearch(query);
    await (isMetric ? core.api['traces.metric'](input) : core.api['traces.search'](input));
  }
});
