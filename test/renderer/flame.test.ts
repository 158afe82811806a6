import { expect, test } from 'vitest';
import type { Flame } from '../../src/model/contract/index.ts';
import { parseSearch } from '../../src/model/traceql/parse-search.ts';
import { changedMost, changeOf, changeText, flameMarkdown } from '../../src/renderer/draw/traces/flame-text.ts';
import {
  defaultFlameShare,
  type FlameNode,
  flameBySelfTime,
  flameByTime,
  flameLabel,
  flameSearch,
  layoutFlame,
} from '../../src/renderer/draw/traces/flame-tree.ts';

type Row = readonly [
  parent: number,
  service: string | null,
  name: string | null,
  self: number,
  baseSelf: number,
  spans?: number,
  baseSpans?: number,
];

/** Paths with their self times; widths follow from these. */
function flameFrom(rows: readonly Row[]): Flame {
  const sum = (at: number, own: 3 | 4): number => rows[at]?.[own] ?? 0;
  const width = (at: number, own: 3 | 4): number =>
    sum(at, own) + rows.reduce((all, [parent], child) => all + (parent === at ? width(child, own) : 0), 0);
  const numbers = (of: (row: Row, at: number) => number) => Float64Array.from(rows, of);
  return {
    window: { start_ns: 0n, end_ns: 1_000_000_000n },
    baseline: { start_ns: 0n, end_ns: 1_000_000_000n },
    share: 1,
    all_ms: rows.reduce((all, [, , , self]) => all + self, 0),
    hidden: 0,
    hidden_ms: 0,
    parent: Int32Array.from(rows, ([parent]) => parent),
    depth: Int32Array.from(rows, ([parent]) => (parent < 0 ? 1 : 2)),
    is_other: new Uint8Array(rows.length),
    service: rows.map(([, service]) => service),
    name: rows.map(([, , name]) => name),
    spans: numbers((row) => row[5] ?? 10),
    errors: numbers(() => 0),
    total_ms: numbers((_, at) => width(at, 3)),
    self_ms: numbers((row) => row[3]),
    time_ms: numbers((_, at) => width(at, 3)),
    base_spans: numbers((row) => row[6] ?? 10),
    base_errors: numbers(() => 0),
    base_total_ms: numbers((_, at) => width(at, 4)),
    base_self_ms: numbers((row) => row[4]),
    base_time_ms: numbers((_, at) => width(at, 4)),
  };
}

const web: readonly Row[] = [
  [-1, 'web', 'GET', 10, 10],
  [0, 'web', 'render', 20, 20],
  [0, 'store', 'read', 70, 10],
  [-1, 'job', 'sweep', 5, 5],
  [3, 'store', 'read', 15, 5],
];

const outline = (nodes: readonly FlameNode[], indent = ''): string[] =>
  nodes.flatMap((node) => [`${indent}${flameLabel(node)} ${node.time}`, ...outline(node.children, `${indent}  `)]);

test('by time, callees are above callers; by self time, callers are above the operation', () => {
  const flame = flameFrom(web);
  expect(outline(flameByTime(flame))).toEqual([
    'web: GET 100',
    '  store: read 70',
    '  render 20',
    'job: sweep 20',
    '  store: read 15',
  ]);
  expect(outline(flameBySelfTime(flame))).toEqual([
    'store: read 85',
    '  web: GET 70',
    '  job: sweep 15',
    'web: render 20',
    '  GET 20',
    'web: GET 10',
    'job: sweep 5',
  ]);
});

test('frames lie within their parent; a minimum share hides smaller frames with their subtree', () => {
  const roots = flameByTime(flameFrom(web));
  const layoutSummary = ({ frames, hidden }: ReturnType<typeof layoutFlame>) => [
    ...frames.map(({ node, left, width, row }) => `${flameLabel(node)} ${row} ${left.toFixed(3)} ${width.toFixed(3)}`),
    `${hidden} hidden`,
  ];
  expect(layoutSummary(layoutFlame(roots, { zoomed: null, share: 0, all: 120, narrowest: 0 }))).toEqual([
    'web: GET 0 0.000 0.833',
    'store: read 1 0.000 0.583',
    'render 1 0.583 0.167',
    'job: sweep 0 0.833 0.167',
    'store: read 1 0.833 0.125',
    '0 hidden',
  ]);
  expect(layoutSummary(layoutFlame(roots, { zoomed: null, share: 0.17, all: 120, narrowest: 0 }))).toEqual([
    'web: GET 0 0.000 0.833',
    'store: read 1 0.000 0.583',
    '2 hidden',
  ]);
  const zoomed = roots[1]!;
  expect(layoutSummary(layoutFlame(roots, { zoomed, share: 0, all: 120, narrowest: 0 }))).toEqual([
    'job: sweep 0 0.000 1.000',
    'store: read 1 0.000 0.750',
    '0 hidden',
  ]);
  expect(layoutFlame([], { zoomed: null, share: 0, all: 120, narrowest: 0 })).toEqual({
    frames: [],
    rests: [],
    rows: 0,
    hidden: 0,
  });
});

test('hidden frames keep their place, and the default share never hides a whole graph', () => {
  const roots = flameByTime(flameFrom(web));
  const { rests } = layoutFlame(roots, { zoomed: null, share: 0.17, all: 120, narrowest: 0.001 });
  expect(
    rests.map(({ count, time, row, left, width }) => [count, time, row, left.toFixed(3), width.toFixed(3)]),
  ).toEqual([
    [1, 20, 1, '0.583', '0.167'],
    [1, 20, 0, '0.833', '0.167'],
  ]);
  expect(defaultFlameShare(roots, 120)).toBe(0.005);
  const many = Array.from({ length: 400 }, (_, at) => [-1, 'web', `GET ${at}`, 1, 1, 1, 0] as const);
  const wide = flameByTime(flameFrom(many.map((row) => [...row])));
  expect(defaultFlameShare(wide, 400)).toBe(0.001);
});

test('the baseline is scaled to the number of requests in the window', () => {
  // Twice the requests and twice the time: nothing is slower.
  const busier = flameByTime(flameFrom([[-1, 'web', 'GET', 200, 100, 20, 10]]))[0]!;
  expect([changeOf(busier), changeText(busier)]).toEqual(['same', '≈ unchanged']);
  const slower = flameByTime(flameFrom([[-1, 'web', 'GET', 400, 100, 10, 10]]))[0]!;
  expect(changeText(slower)).toBe('↑ +300 ms, × 4.0');
  const faster = flameByTime(flameFrom([[-1, 'web', 'GET', 50, 100, 10, 10]]))[0]!;
  expect(changeText(faster)).toBe('↓ −50 ms, × 0.5');
  // Without requests in the baseline, its time is unknown.
  const fresh = flameByTime(flameFrom([[-1, 'web', 'GET', 50, 0, 10, 0]]))[0]!;
  expect(changeText(fresh)).toBe('✱ not in the baseline');
  expect(changedMost(flameBySelfTime(flameFrom(web)), 5).map((node) => flameLabel(node))).toEqual(['store: read']);
});

test('a query finds the spans of a frame, whatever characters its names contain', () => {
  const flame = flameFrom([
    [-1, 'we"b', 'GET \\d\n', 10, 10],
    [0, null, 'read', 5, 5],
    [1, 'x', null, 5, 5],
  ]);
  const [root] = flameByTime(flame);
  const deepest = root!.children[0]!.children[0]!;
  const query = flameSearch(deepest, 'time');
  expect(query).toBe(
    '{ resource.service.name = "we\\"b" && name = "GET \\\\d\\n" } > { .service.name = nil && name = "read" } > { resource.service.name = "x" }',
  );
  expect(parseSearch(query).spans).toMatchObject({
    relation: '>',
    left: { left: { condition: { right: { value: { value: 'GET \\d\n' } } } } },
  });
  const bySelf = flameBySelfTime(flame).find(({ service }) => service === 'x')!;
  const caller = bySelf.children[0]!.children[0]!;
  expect(flameSearch(caller, 'self')).toBe(query);
});

test('Markdown lists the widest frames with their change', () => {
  const flame = flameFrom(web);
  const roots = flameByTime(flame);
  const lines = flameMarkdown(flame, roots, 120).split('\n');
  expect(lines[0]).toBe(
    'Time by call path, 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:01.000Z, compared with 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:01.000Z',
  );
  expect(lines[4]).toBe('| web: GET | 100 ms | 83.3 % | 10 ms | 10 | 0 | ↑ +60 ms, × 2.5 |');
});
