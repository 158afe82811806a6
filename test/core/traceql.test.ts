import { expect, test } from 'vitest';
import type { Api, Input } from '../../src/model/contract/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { offsetOf } from '../../src/model/traceql/problem.ts';
import { cannedSearches } from '../../src/renderer/state/canned-searches.ts';
import type { TestCore } from '../support/core.ts';
import { atMs, type SpanLine, traceCase, traceIdOf } from '../support/trace-case.ts';

/** Two orders that wait for a database, one of them failing, an apply over HTTP, and a lone worker without a service. */
const spans: readonly SpanLine[] = [
  {
    trace: 'A',
    id: 'a',
    name: 'HTTP PUT',
    service: 'api',
    kind: 2,
    from: 0,
    to: 900,
    values: { 'http.status': 200, 'a name': 'x y' },
    resource: { region: 'eu', zone: 1 },
  },
  {
    trace: 'A',
    id: 'b',
    parent: 'a',
    name: 'orders.find',
    service: 'api',
    from: 100,
    to: 700,
    values: { 'db.duration_ms': 60, 'db.system': 'mongodb', cached: false },
    resource: { region: 'eu', zone: 1 },
  },
  {
    trace: 'A',
    id: 'c',
    parent: 'b',
    name: 'mongodb.query',
    service: 'store',
    kind: 3,
    from: 120,
    to: 180,
    values: { 'db.duration_ms': 40.5 },
  },
  {
    trace: 'A',
    id: 'd',
    parent: 'a',
    name: 'orders.update',
    service: 'api',
    from: 720,
    to: 800,
    values: { 'db.duration_ms': '60', region: 'us' },
    resource: { region: 'eu' },
  },
  {
    trace: 'B',
    id: 'e',
    name: 'HTTP GET',
    service: 'api',
    kind: 2,
    from: 2000,
    to: 2100,
    failed: 'deadline exceeded',
    values: { 'http.status': 504 },
    resource: { region: 'us' },
  },
  {
    trace: 'B',
    id: 'f',
    parent: 'e',
    name: 'orders.find',
    service: 'api',
    from: 2010,
    to: 2050,
    failed: 'timeout',
    values: { cached: true },
  },
  { trace: 'C', id: 'g', parent: 'z', name: 'tick', from: 5000, to: 5001 },
];

let core: TestCore;
const search = (query: string, more: Partial<Input<'traces.search'>> = {}) =>
  core.api['traces.search']({ query, order: 'earliest', ...more });

/** Letters of the traces that are found, each with how many spans match. */
async function found(query: string, more: Partial<Input<'traces.search'>> = {}): Promise<string> {
  const { traces } = await search(query, more);
  const letters = new Map(['A', 'B', 'C'].map((letter) => [traceIdOf(letter), letter]));
  return traces.map(({ trace_id, matched }) => `${letters.get(trace_id)}${matched}`).join(' ');
}

/** What is wrong, and at which character. */
async function refused(query: string): Promise<string> {
  try {
    await search(query);
    return 'nothing';
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return `${error.problem.code} ${offsetOf(error.problem)}`;
  }
}

test('every operator finds the spans that it should', async () => {
  core = await traceCase(spans);
  const cases: Readonly<Record<string, string>> = {
    '{}': 'A4 B2 C1',
    '{ true }': 'A4 B2 C1',
    '{ false }': '',
    '{ name = "orders.find" }': 'A1 B1',
    '{ name != "orders.find" }': 'A3 B1 C1',
    '{ name =~ "HTTP.*" }': 'A1 B1',
    // The whole name, not a part of it.
    '{ name =~ "HTTP" }': '',
    '{ name !~ "HTTP.*|orders.*" }': 'A1 C1',
    '{ name > "o" && name < "p" }': 'A2 B1',
    '{ "HTTP GET" = name }': 'B1',
    '{ duration > 500ms }': 'A2',
    '{ duration >= 600ms }': 'A2',
    '{ 500ms < duration }': 'A2',
    '{ duration <= 1ms }': 'C1',
    '{ duration < 60ms }': 'B1 C1',
    '{ duration = 1000us }': 'C1',
    '{ duration != 0.9s }': 'A3 B2 C1',
    '{ status = error }': 'B2',
    '{ status != error }': 'A4 C1',
    '{ status = unset }': 'A4 C1',
    '{ kind = server }': 'A1 B1',
    '{ kind != internal }': 'A2 B1',
    '{ statusMessage = "timeout" }': 'B1',
    '{ statusMessage =~ "time.*|deadline.*" }': 'B2',
    '{ statusMessage != "timeout" }': 'B1',
    '{ span:duration > 500ms && span:name = "HTTP PUT" }': 'A1',
    '{ traceDuration > 500ms }': 'A4',
    '{ trace:duration <= 100ms }': 'B2 C1',
    '{ rootName = "HTTP PUT" }': 'A4',
    '{ rootServiceName = "api" && status = error }': 'B2',
    '{ rootName != "HTTP PUT" }': 'B2',
    '{ nestedSetParent < 0 }': 'A1 B1',
    '{ nestedSetParent = -1 }': 'A1 B1',
    '{ nestedSetParent >= 0 }': 'A3 B1 C1',
    [`{ trace:id = "${traceIdOf('B')}" }`]: 'B2',
    '{ span:id = "0000000000000063" }': 'A1',
  };
  for (const [query, expected] of Object.entries(cases)) expect([query, await found(query)]).toEqual([query, expected]);
});

test('attributes: numbers as numbers, texts as texts, what is missing neither equals nor differs', async () => {
  core = await traceCase(spans);
  const cases: Readonly<Record<string, string>> = {
    '{ db.duration_ms > 50 }': 'A1',
    '{ .db.duration_ms > 50 }': 'A1',
    '{ span.db.duration_ms > 50 }': 'A1',
    '{ span.db.duration_ms > 40 }': 'A2',
    '{ resource.db.duration_ms > 50 }': '',
    '{ 50 < db.duration_ms }': 'A1',
    '{ db.duration_ms = 40.5 }': 'A1',
    '{ db.duration_ms >= 4.05e1 }': 'A2',
    '{ db.duration_ms = "60" }': 'A1',
    '{ db.duration_ms != 60 }': 'A1',
    '{ !(db.duration_ms = 60) }': 'A3 B2 C1',
    '{ db.duration_ms < 1000 || db.duration_ms >= 1000 }': 'A2',
    '{ .cached }': 'B1',
    '{ .cached = false }': 'A1',
    '{ .cached != true }': 'A1',
    '{ .cached != nil }': 'A1 B1',
    '{ .db.system = nil && name = "orders.find" }': 'B1',
    '{ .db.system =~ "mongo.*" }': 'A1',
    '{ .db.system !~ "sql" }': 'A1',
    '{ span."a name" = "x y" }': 'A1',
    '{ ."a name" = `x y` }': 'A1',
    // The span's own word goes before its resource's.
    '{ .region = "eu" }': 'A2',
    '{ span.region = "us" }': 'A1',
    '{ resource.region = "eu" }': 'A3',
    '{ .region = "us" }': 'A1 B1',
    '{ .region = nil }': 'A1 B1 C1',
    '{ resource.region = nil }': 'A1 B1 C1',
    '{ resource.zone > 0 }': 'A2',
    '{ resource.service.name = "store" }': 'A1',
    '{ service.name =~ "a.*" }': 'A3 B2',
    '{ .service.name != "api" }': 'A1',
    '{ .service.name = nil }': 'C1',
    '{ .service.name != nil }': 'A4 B2',
    '{ span.service.name = "api" }': '',
  };
  for (const [query, expected] of Object.entries(cases)) expect([query, await found(query)]).toEqual([query, expected]);
});

test('spans are related by their places in the trace', async () => {
  core = await traceCase(spans);
  const cases: Readonly<Record<string, string>> = {
    '{ kind = server } > { db.duration_ms > 50 }': 'A1',
    '{ kind = server } > { kind = client }': '',
    '{ kind = server } >> { kind = client }': 'A1',
    '{ kind = server } >> { }': 'A3 B1',
    '{ kind = client } < { name = "orders.find" }': 'A1',
    '{ kind = client } << { kind = server }': 'A1',
    '{ kind = client } << { }': 'A2',
    '{ name = "orders.find" } ~ { }': 'A1',
    '{ name = "orders.find" } ~ { name = "orders.find" }': '',
    '{ name =~ "orders.*" } ~ { name =~ "orders.*" }': 'A2',
    '{ name = "orders.find" } && { kind = client }': 'A2',
    '{ kind = client } || { status = error }': 'A1 B2',
    // What matches on both sides is one span.
    '{ kind = server } || { name =~ "HTTP.*" }': 'A1 B1',
    '{ kind = server } > { name = "orders.find" } > { kind = client }': 'A1',
    '({ kind = server } > { status = error }) || { kind = client }': 'A1 B1',
    '{ name = "tick" } >> { }': '',
  };
  for (const [query, expected] of Object.entries(cases)) expect([query, await found(query)]).toEqual([query, expected]);
});

test('what was found in a trace can be counted and measured', async () => {
  core = await traceCase(spans);
  const cases: Readonly<Record<string, string>> = {
    '{ } | count() > 2': 'A4',
    '{ } | count() = 1': 'C1',
    '{ } | count() != 1': 'A4 B2',
    '{ status = error } | count() >= 2': 'B2',
    '{ } | avg(duration) < 100ms': 'B2 C1',
    '{ } | max(duration) <= 100ms': 'B2 C1',
    '{ } | min(duration) > 1ms && { }': '',
    '{ } | sum(duration) > 1s': 'A4',
    '{ } | count() > 1 | min(duration) > 50ms': 'A4',
  };
  const { '{ } | min(duration) > 1ms && { }': _, ...valid } = cases;
  for (const [query, expected] of Object.entries(valid)) expect([query, await found(query)]).toEqual([query, expected]);
});

test('a search sees the window; what is around a match may lie outside of it', async () => {
  core = await traceCase(spans);
  const window = { start_ns: atMs(90), end_ns: atMs(710) };
  expect(await found('{}', window)).toBe('A2');
  expect(await found('{ kind = server } >> { }', window)).toBe('A2');
  expect(await found('{ kind = server } && { }', window)).toBe('');
  expect(await found('{ rootName = "HTTP PUT" }', window)).toBe('A2');
  expect(await found('{ traceDuration > 500ms }', window)).toBe('A2');
  const { traces } = await search('{}', window);
  expect(traces[0]).toMatchObject({ spans: 4, errors: 0, duration_ms: 900, start_ns: atMs(0) });
});

test('a list contains root, spans, errors and the longest match; omissions are counted', async () => {
  core = await traceCase(spans);
  const all = await search('{}', { order: 'slowest' });
  expect(all).toMatchObject({ trace_count: 3, span_count: 7, truncated: false });
  expect(all.traces.map(({ trace_id }) => trace_id)).toEqual(['A', 'B', 'C'].map(traceIdOf));
  expect(all.traces[1]).toEqual({
    trace_id: traceIdOf('B'),
    root_service: 'api',
    root_name: 'HTTP GET',
    root_recorded: true,
    start_ns: atMs(2000),
    duration_ms: 100,
    spans: 2,
    errors: 2,
    services: 1,
    matched: 2,
    ref: `span:${traceIdOf('B')}/0000000000000065`,
    longest_ms: 100,
  });
  expect(all.traces[2]).toMatchObject({ root_service: null, root_name: 'tick', root_recorded: false });
  const some = await search('{}', { order: 'most_matched', limit: 1 });
  expect(some).toMatchObject({ trace_count: 3, span_count: 7, truncated: true });
  expect(some.traces.map(({ trace_id }) => trace_id)).toEqual([traceIdOf('A')]);
});

test('an invalid search is reported with its character', async () => {
  core = await traceCase(spans.slice(0, 1));
  const cases: Readonly<Record<string, string>> = {
    '': 'traceql.syntax 0',
    'db.duration_ms > 50': 'traceql.syntax 0',
    '{ status = }': 'traceql.syntax 11',
    '{ status error }': 'traceql.syntax 9',
    '{ status = error': 'traceql.syntax 16',
    '{ status = error } }': 'traceql.syntax 19',
    '{ name = "open }': 'traceql.syntax 9',
    '{ (name = "a" }': 'traceql.syntax 14',
    '{ . = 1 }': 'traceql.syntax 2',
    '{ duration > 5parsecs }': 'traceql.syntax 13',
    '{ nmae = "a" }': 'traceql.unknown 2',
    '{ duration > 500 }': 'traceql.type 13',
    '{ duration > "long" }': 'traceql.type 13',
    '{ status = failed }': 'traceql.unknown 11',
    '{ status > error }': 'traceql.type 11',
    '{ status = "error" }': 'traceql.type 11',
    '{ name =~ 5 }': 'traceql.type 10',
    '{ .a > 5ms }': 'traceql.type 7',
    '{ name = nil }': 'traceql.type 9',
    '{ .a + "x" > 2 }': 'traceql.type 7',
    '{ .a + event.b > 2 }': 'traceql.unsupported 7',
    '{ .a =~ .b }': 'traceql.type 2',
    '{ parent.rootName = "x" }': 'traceql.unsupported 2',
    '{ status = err }': 'traceql.unknown 11',
    '{ nestedSetParent > 7 }': 'traceql.unsupported 20',
    '{ } !! { }': 'traceql.syntax 4',
    '{ } | rate() > 1': 'traceql.unsupported 4',
    '{ } | compare({ status = error })': 'traceql.unsupported 4',
    '{ } | quantile_over_time(duration)': 'traceql.syntax 33',
    '{ } | rate() | count() > 1': 'traceql.unsupported 15',
    '{ } | by(event.x)': 'traceql.unsupported 9',
    '{ } | count() > 1s': 'traceql.type 16',
    '{ } | avg(.a) > 1s': 'traceql.type 16',
    '{ } | avg(name) > 1': 'traceql.type 10',
    '{ } | min(duration) > 1ms && { }': 'traceql.syntax 26',
    '{ name =~ "(" }': 'traceql.regex 10',
    '{ name =~ "((a{1000}){1000}){1000}" }': 'traceql.regex 10',
  };
  for (const [query, expected] of Object.entries(cases))
    expect([query, await refused(query)]).toEqual([query, expected]);
});

test('hostile searches end, and quickly', async () => {
  core = await traceCase([
    ...spans,
    { trace: 'D', id: 'x', parent: 'y', name: 'loop', from: 0, to: 1 },
    { trace: 'D', id: 'y', parent: 'x', name: 'loop', from: 0, to: 1 },
  ]);
  expect(await refused(`{ ${'('.repeat(1900)}`)).toMatch(/traceql.too_large/);
  expect(await refused(`{ ${'!'.repeat(3000)}true }`)).toMatch(/traceql.too_large/);
  expect(await refused(`{ ${Array(200).fill('true').join(' && ')} }`)).toMatch(/traceql.too_large/);
  expect(await refused(Array(40).fill('{}').join(' >> '))).toMatch(/traceql.too_large/);
  expect(await refused('{'.repeat(5000))).toMatch(/request.invalid/);
  expect(await found('{ name =~ "(a|aa)+b|(.*)*x" }')).toBe('');
  expect(await found(`{ ${Array(90).fill('.a =~ "(x+x+)+y"').join(' || ')} }`)).toBe('');
  // Spans that are each other's parents are below and above themselves.
  expect((await search('{ name = "loop" } >> { name = "loop" }')).span_count).toBe(2);
  expect((await search('{ name = "loop" } << { name = "loop" }')).span_count).toBe(2);
  const quote = `'; drop table span; --`;
  expect(await found(`{ ."${quote}" = "${quote}" || name =~ "${quote}.*" }`)).toBe('');
  expect((await search('{}')).span_count).toBe(9);
});

test('a search can be cancelled', async () => {
  core = await traceCase(spans);
  const requests = new AbortController();
  requests.abort();
  const api: Api = core.api;
  await expect(api['traces.search']({ query: '{}' }, { signal: requests.signal })).rejects.toThrow(/abort/i);
});

test('the searches of the menu find calls of any instrumentation', async () => {
  const conventions = { 'db.system.name': 'mongodb' };
  core = await traceCase([
    { trace: 'A', id: 'a', name: 'remediations.update', from: 0, to: 90, values: { 'db.duration_ms': 80 } },
    { trace: 'B', id: 'b', name: 'remediations.find', kind: 3, from: 0, to: 90, values: conventions },
    { trace: 'C', id: 'c', name: 'http.client.put', kind: 3, from: 0, to: 700 },
    { trace: 'C', id: 'd', name: 'HTTP PUT', kind: 3, from: 0, to: 700 },
    { trace: 'C', id: 'e', name: 'PUTTER', from: 0, to: 700 },
    { trace: 'A', id: 'f', name: 'DrainNode', from: 0, to: 2000 },
    { trace: 'A', id: 'g', parent: 'f', name: 'evict', from: 0, to: 10, failed: 'refused' },
    { trace: 'B', id: 'h', name: 'remediations.find', from: 0, to: 20, values: { 'db.duration_ms': 10 } },
  ]);
  const answers = await Promise.all(cannedSearches.map(async ({ id, query }) => [id, await found(query)]));
  expect(Object.fromEntries(answers)).toEqual({
    all: 'A3 B2 C3',
    errors: 'A1',
    database: 'A1 B1',
    api: 'C2',
    remediation: 'A1',
    'not-remediated': 'A1',
  });
});
