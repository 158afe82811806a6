import { expect, test } from 'vitest';
import type { Flame } from '../../src/model/contract/index.ts';
import { addSpans } from '../support/add-spans.ts';
import { openTestCore, type TestCore } from '../support/core.ts';
import { atMs, otlpOf, type SpanLine, traceCase } from '../support/trace-case.ts';

/** A request that asks two stores at once and then works alone; `more` is what the second store takes longer. */
const request = (trace: string, from: number, more = 0): SpanLine[] => [
  { trace, id: `${trace}1`, name: 'GET /', service: 'web', from, to: from + 100 + more },
  { trace, id: `${trace}2`, parent: `${trace}1`, name: 'read', service: 'store', from: from + 10, to: from + 50 },
  {
    trace,
    id: `${trace}3`,
    parent: `${trace}1`,
    name: 'read',
    service: 'cache',
    from: from + 30,
    to: from + 60 + more,
  },
  {
    trace,
    id: `${trace}4`,
    parent: `${trace}3`,
    name: 'disk',
    service: 'cache',
    from: from + 40,
    to: from + 50,
    ...(more > 0 ? { failed: 'slow' } : {}),
  },
];

const flameOf = (core: TestCore, from: number, to: number, baseline: readonly [number, number] | null = null) =>
  core.api['traces.flame']({
    start_ns: atMs(from),
    end_ns: atMs(to),
    baseline: baseline && { start_ns: atMs(baseline[0]), end_ns: atMs(baseline[1]) },
    min_share: 0,
  });

const estimateOf = (core: TestCore, from: number, to: number, baseline: readonly [number, number] | null = null) =>
  core.api['traces.flameEstimate']({
    start_ns: atMs(from),
    end_ns: atMs(to),
    baseline: baseline && { start_ns: atMs(baseline[0]), end_ns: atMs(baseline[1]) },
    min_share: 0,
  });

/** One line a path: where it stands, spans, failed ones, total, self and width in ms. */
function lines(flame: Flame): string[] {
  const label = (at: number): string =>
    at < 0
      ? ''
      : `${label(flame.parent[at]!)}/${flame.is_other[at] ? 'other' : `${flame.service[at]} ${flame.name[at]}`}`;
  return flame.service
    .map((_, at) =>
      [label(at), flame.spans[at], flame.errors[at], flame.total_ms[at], flame.self_ms[at], flame.time_ms[at]].join(
        ' ',
      ),
    )
    .sort();
}

test('a flame graph sums spans by path; what overlaps is taken off the parent once', async () => {
  const core = await traceCase([...request('A', 0), ...request('B', 200)]);
  expect(lines(await flameOf(core, 0, 1000))).toEqual([
    // 100 less the union of 10..50 and 30..60.
    '/web GET / 2 0 200 100 240',
    '/web GET //cache read 2 0 60 40 60',
    '/web GET //cache read/cache disk 2 0 20 20 20',
    '/web GET //store read 2 0 80 80 80',
  ]);
});

test('a window and a baseline are returned together, in whole slices', async () => {
  const core = await traceCase([...request('A', 0), ...request('B', 60_000, 300)]);
  const flame = await flameOf(core, 59_000, 62_000, [0, 2_000]);
  const at = flame.name.indexOf('disk');
  expect([flame.spans[at], flame.errors[at], flame.base_spans[at], flame.base_errors[at]]).toEqual([1, 1, 1, 0]);
  const read = flame.service.findIndex((service, i) => service === 'cache' && flame.name[i] === 'read');
  expect([flame.self_ms[read], flame.base_self_ms[read]]).toEqual([320, 20]);
  expect(flame.window.start_ns <= atMs(59_000) && flame.window.start_ns > atMs(57_900)).toBe(true);
  expect(flame.window.end_ns >= atMs(62_000) && flame.window.end_ns < atMs(63_100)).toBe(true);
  expect(lines(await flameOf(core, 20_000, 30_000))).toEqual([]);
});

test('what takes little is left out and counted; shares are of all time', async () => {
  const core = await traceCase(request('A', 0));
  const flame = await core.api['traces.flame']({ start_ns: atMs(0), end_ns: atMs(900), min_share: 0.2 });
  expect(flame.name).toEqual(['GET /', 'read', 'read']);
  expect([flame.hidden, flame.hidden_ms, flame.all_ms]).toEqual([1, 10, 120]);
  // Where every path is small nothing is returned, and the omitted share is counted.
  const none = await core.api['traces.flame']({ start_ns: atMs(0), end_ns: atMs(900), min_share: 1 });
  expect([none.name.length, none.hidden, none.all_ms]).toEqual([1, 3, 120]);
});

test('a span without its parent begins a path; loops and own parents end', async () => {
  const core = await traceCase([
    { trace: 'A', id: 'a', parent: 'gone', name: 'late', service: 's', from: 0, to: 5 },
    { trace: 'B', id: 'b', parent: 'b', name: 'own', service: 's', from: 0, to: 5 },
    { trace: 'C', id: 'c', parent: 'd', name: 'loop', service: 's', from: 0, to: 5 },
    { trace: 'C', id: 'd', parent: 'c', name: 'loop', service: 's', from: 0, to: 5 },
    { trace: 'D', id: 'e', name: 'nobody', from: 0, to: 5 },
  ]);
  expect(lines(await flameOf(core, 0, 1000))).toEqual([
    '/null nobody 1 0 5 5 5',
    '/s late 1 0 5 5 5',
    '/s own 1 0 5 5 5',
  ]);
});

test('paths are made once, and again when spans came', async () => {
  const core = await traceCase(request('A', 0));
  const reported: number[] = [];
  for await (const { done, total } of core.api['traces.prepare']({})) reported.push(done, total);
  expect([reported.at(-2), reported.at(-1)]).toEqual([4, 4]);
  for await (const more of core.api['traces.prepare']({})) expect(more).toBe('nothing to do');
  expect((await flameOf(core, 0, 1000)).spans[0]).toBe(1);
  await core.importJson(otlpOf(request('B', 100)));
  expect((await flameOf(core, 0, 1000)).spans[0]).toBe(2);
});

test('two windows that ask at once wait for one walk; one that is cancelled leaves nothing behind', async () => {
  const core = await traceCase(request('A', 0));
  const requests = new AbortController();
  const first = (async () => {
    for await (const _ of core.api['traces.prepare']({}, { signal: requests.signal })) requests.abort();
  })();
  await expect(first).rejects.toThrow(/abort/i);
  const both = await Promise.all([flameOf(core, 0, 1000), flameOf(core, 0, 1000)]);
  expect(both.map(({ spans }) => spans[0])).toEqual([1, 1]);
});

test('of very many paths the rarer ones are merged, and no time is lost', async () => {
  const spans: SpanLine[] = [];
  for (let i = 0; i < 5200; i++) {
    const trace = String(i).padStart(4, '0');
    spans.push({ trace, id: `r${trace}`, name: `job ${i}`, service: 's', from: i, to: i + 10 + (i < 10 ? 50 : 0) });
    if (i % 1000 === 0)
      spans.push({ trace, id: `c${trace}`, parent: `r${trace}`, name: 'step', service: 's', from: i, to: i + 5 });
  }
  const core = await traceCase(spans);
  const flame = await flameOf(core, 0, 20_000);
  const other = flame.is_other.indexOf(1);
  expect([flame.is_other.reduce((a, b) => a + b, 0), flame.depth[other]]).toEqual([1, 1]);
  expect(flame.spans.reduce((a, b) => a + b, 0)).toBe(spans.length);
  expect(flame.spans[other]).toBeGreaterThanOrEqual(200);
  expect(Math.round(flame.self_ms.reduce((a, b) => a + b, 0))).toBe(52_500);
});

test('a quick answer of few spans is of all traces, and the same as by the walk', async () => {
  const core = await traceCase([
    ...request('A', 0),
    ...request('B', 60_000, 300),
    ...request('C', 60_500, 100),
    { trace: 'D', id: 'a', parent: 'gone', name: 'late', service: 's', from: 100, to: 105 },
    { trace: 'E', id: 'b', parent: 'b', name: 'own', service: 's', from: 100, to: 105 },
    { trace: 'F', id: 'c', parent: 'd', name: 'loop', service: 's', from: 60_000, to: 60_005 },
    { trace: 'F', id: 'd', parent: 'c', name: 'loop', service: 's', from: 60_000, to: 60_005 },
    { trace: 'F', id: 'e', parent: 'd', name: 'below', service: 's', from: 60_001, to: 60_002 },
    // Longer than the window: its beginning lies before it, a child within.
    { trace: 'G', id: 'f', name: 'long', service: 's', from: 30_000, to: 62_000 },
    { trace: 'G', id: 'g', parent: 'f', name: 'part', service: 's', from: 60_000, to: 61_000 },
  ]);
  const windows = [
    [0, 100_000, null],
    [59_000, 62_000, [0, 2_000]],
    [20_000, 25_000, null],
  ] as const;
  const quick = [];
  for (const [from, to, baseline] of windows) quick.push(await estimateOf(core, from, to, baseline));
  for (const [i, [from, to, baseline]] of windows.entries()) {
    const exact = await flameOf(core, from, to, baseline);
    const estimate = quick[i]!;
    expect(lines(estimate)).toEqual(lines(exact));
    const summary = ({ share, hidden, all_ms, window }: Flame) => ({ share, hidden, all_ms, window });
    expect(summary(estimate)).toEqual(summary(exact));
    const base = (flame: Flame) => Array.from(flame.base_self_ms).sort((a, b) => a - b);
    expect(base(estimate)).toEqual(base(exact));
  }
  // The paths are kept now, and answer faster.
  expect(await estimateOf(core, 0, 1000)).toBeNull();
});

/** A case with so many requests of three spans, and so many spans that are children of one. */
async function manySpans(requests: number, children = 0): Promise<TestCore> {
  const core = await traceCase(request('A', 0), openTestCore());
  await core.close();
  await addSpans(core.path, { base_ns: atMs(0), requests, children });
  return openTestCore(core.path);
}

test('a quick answer of many spans is of some traces, and marked as such', async () => {
  const core = await manySpans(120_000);
  // A narrow window holds few spans, and is computed from all.
  const narrow = (await estimateOf(core, 1000, 2000)) as Flame;
  const wide = (await estimateOf(core, -1000, 100_000)) as Flame;
  expect([narrow.share, wide.share]).toEqual([1, 1 / 4]);
  const exact = await flameOf(core, -1000, 100_000);
  // As many spans as there are; their time by chance of which were looked at.
  const times = ({ depth, name, time_ms, spans }: Flame) =>
    ['spans', 'time'].map((what) => {
      const column = what === 'spans' ? spans : time_ms;
      return column.reduce((sum, each, at) => sum + (depth[at] === 3 && name[at] === 'GET /' ? each : 0), 0);
    });
  const [spans, time] = times(wide).map((figure, i) => figure / times(exact)[i]!) as [number, number];
  expect(Math.abs(spans - 1)).toBeLessThan(0.01);
  expect(Math.abs(time - 1)).toBeLessThan(0.02);
  expect(lines(narrow)).toEqual(lines(await flameOf(core, 1000, 2000)));
});

test('of one huge trace there is no quick answer', async () => {
  expect(await estimateOf(await manySpans(0, 450_000), 0, 1000)).toBeNull();
});
