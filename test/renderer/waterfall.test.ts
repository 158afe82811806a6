import { describe, expect, test } from 'vitest';
import type { TraceGroup } from '../../src/model/contract/index.ts';
import { tokenParents } from '../../src/model/telemetry/token-parents.ts';
import { callTree, compareCalls, flameFrames } from '../../src/renderer/draw/traces/call-tree.ts';
import {
  idleTimes,
  Places,
  placesOf,
  timeAtX,
  traceGroupTicks,
  xOfTime,
} from '../../src/renderer/draw/traces/trace-group-scale.ts';
import { pipelineOf } from '../../src/renderer/draw/traces/trace-group-stages.ts';
import {
  afterText,
  extentOf,
  labelOf,
  percent,
  refOf,
  spanOfRef,
  traceGroupJson,
  traceGroupMarkdown,
} from '../../src/renderer/draw/traces/trace-group-text.ts';
import { paintWaterfall, pathBySpan } from '../../src/renderer/draw/traces/waterfall.ts';
import {
  matching,
  nextSpan,
  rowOfSpan,
  type WaterfallRows,
  waterfallRows,
} from '../../src/renderer/draw/traces/waterfall-rows.ts';
import { traceGroupOf } from '../support/drawn-trace-group.ts';
import { palette } from './palette.ts';
import { type RecordingPen, recordingPen } from './recording-pen.ts';

const MS = 1e6;
const SHOP = `
  web GET /          <----------------------------->
    web ->reserve     <------------->
      seat reserve      <---------!
    web ->price       <>
    web ->pay                          <------->
`;
const TWO = `
  monitor detect     <------>         #detect
    monitor write      <-->
  --- +1000
  drainer drain               <---->  ^detect
`;
const allRows = { folded: new Set<number>(), foldedTraces: new Set<number>(), least_ns: 0 };
const rowTexts = (traceGroup: TraceGroup, { rows, heads }: WaterfallRows): string[] =>
  Array.from(rows, (code) => (code >= 0 ? labelOf(traceGroup, code) : (heads[-1 - code]?.kind ?? '')));

describe('rows', () => {
  test('a folded span stands in for its subtree', () => {
    const traceGroup = traceGroupOf(SHOP);
    const rows = waterfallRows(traceGroup, { ...allRows, folded: new Set([1]) });
    expect(rowTexts(traceGroup, rows)).toEqual(['web GET /', 'web ->reserve', 'web ->price', 'web ->pay']);
    expect(rows.hidden).toBe(0);
    expect(rowOfSpan(rows, traceGroup, 2)).toBe(1);
  });

  test('token spans of one parent begin folded unless one failed; a few, or other names, do not', () => {
    const drawn = (count: number, name: string, mark = '>'): TraceGroup =>
      traceGroupOf(
        ['  llm generate   <--------------->', '    llm decode   <------------->']
          .concat(Array.from({ length: count }, (_, i) => `      llm ${name}   <-${i === 0 ? mark : '>'}`))
          .join('\n'),
      );
    const parents = (traceGroup: TraceGroup): number[] => [...tokenParents(traceGroup).parents];
    expect(parents(drawn(40, 'token'))).toEqual([1]);
    expect(parents(drawn(40, 'token', '!'))).toEqual([]);
    expect(parents(drawn(4, 'token'))).toEqual([]);
    expect(parents(drawn(40, 'tokenizer'))).toEqual([]);
  });

  test('short spans are hidden and counted; failed spans and their parents stay', () => {
    const traceGroup = traceGroupOf(SHOP);
    const rows = waterfallRows(traceGroup, { ...allRows, least_ns: 20 * MS });
    expect(rowTexts(traceGroup, rows)).toEqual(['web GET /', 'web ->reserve', 'seat reserve']);
    expect(rows.hidden).toBe(2);
    expect(rowOfSpan(rows, traceGroup, 4)).toBe(0);
  });

  test('linked traces have headers, with the wait before the later one; a folded trace shows its header only', () => {
    const traceGroup = traceGroupOf(TWO);
    const all = waterfallRows(traceGroup, allRows);
    expect(rowTexts(traceGroup, all)).toEqual([
      'trace',
      'monitor detect',
      'monitor write',
      'wait',
      'trace',
      'drainer drain',
    ]);
    const one = waterfallRows(traceGroup, { ...allRows, foldedTraces: new Set([0]) });
    expect(rowTexts(traceGroup, one)).toEqual(['trace', 'wait', 'trace', 'drainer drain']);
  });

  test('the search finds services and names, with wrap-around', () => {
    const traceGroup = traceGroupOf(SHOP);
    const isMatch = matching(traceGroup, ' RESERVE ');
    const next = (from: number, by: 1 | -1) => nextSpan(traceGroup.trace.length, from, by, isMatch);
    expect([next(-1, 1), next(1, 1), next(2, 1), next(1, -1)]).toEqual([1, 2, 1, 2]);
    expect(nextSpan(traceGroup.trace.length, 0, 1, matching(traceGroup, 'nothing'))).toBe(-1);
  });
});

describe('places of times', () => {
  const traceGroup = traceGroupOf(TWO);
  const extent = extentOf(traceGroup);

  test('a long idle time is shortened, and times convert both ways', () => {
    const idle = idleTimes(traceGroup);
    expect(idle).toHaveLength(1);
    const places = placesOf(extent, idleTimes(traceGroup), true);
    expect(places.idle).toHaveLength(1);
    expect(places.until - places.from).toBeLessThan(20 * MS);
    for (const ns of [0, 3 * MS, 500 * MS, 1010 * MS]) expect(places.timeAt(places.of(ns))).toBeCloseTo(ns, 0);
    expect(placesOf(extent, idleTimes(traceGroup), false).until).toBe(extent.until_ns);
  });

  test('between many instants the longest idle times are shortened, in order of time', () => {
    const between = Array.from({ length: 1000 }, (_, i) => ({ from_ns: MS * i, until_ns: MS * (i + 1) - 1000 + i }));
    const { idle } = placesOf({ from_ns: 0, until_ns: 1000 * MS }, between, true);
    expect(idle).toEqual(between.slice(-64));
  });

  test('simultaneous spans have no idle time, nor has an empty trace group', () => {
    expect(idleTimes(traceGroupOf(SHOP))).toEqual([]);
    expect(idleTimes(traceGroupOf(''))).toEqual([]);
  });

  test('ticks are round, apart, and not inside a shortened idle time', () => {
    const places = placesOf(extent, idleTimes(traceGroup), true);
    const scale = { places, window: { from: places.from, until: places.until }, width: 1000 };
    const ticks = traceGroupTicks(scale, extent.from_ns);
    expect(ticks.length).toBeGreaterThan(2);
    const [wait] = places.idle;
    for (const { after_ns, x } of ticks) {
      const at = extent.from_ns + after_ns;
      expect(at > (wait?.from_ns ?? 0) && at < (wait?.until_ns ?? 0)).toBe(false);
      expect(timeAtX(scale, x)).toBeCloseTo(at, -1);
    }
    expect(xOfTime(scale, extent.until_ns)).toBeCloseTo(1000, 0);
  });

  test('an instant has a nonzero width', () => {
    expect(new Places({ from_ns: 5, until_ns: 5 }, [], 0).until).toBe(6);
  });
});

describe('words', () => {
  test('an evidence id leads to its span and back', () => {
    const traceGroup = traceGroupOf(TWO);
    for (const span of traceGroup.trace.keys()) expect(spanOfRef(traceGroup, refOf(traceGroup, span))).toBe(span);
    expect(spanOfRef(traceGroup, 'event:1')).toBe(-1);
    expect(spanOfRef(traceGroup, 'span:00/0000000000000001')).toBe(-1);
  });

  test('Markdown is an outline with traces, waits, failures and ids', () => {
    const text = traceGroupMarkdown(traceGroupOf(TWO));
    expect(text).toMatch(
      /^\*\*Trace `[0-9a-f]{32}`\*\*: 3 spans of \d+ services, 1\.0\d s, started \d{4}-\d\d-\d\dT[\d:.]{12}Z\n/,
    );
    expect(text).toContain('*wait 1 s: from the end of monitor detect to drainer drain*');
    expect(text).toMatch(/\n {2}- monitor write: 4 ms \(self 4 ms\)[^\n]* `span:[0-9a-f]{32}\/[0-9a-f]{16}`/);
    expect(traceGroupMarkdown(traceGroupOf(SHOP))).toContain('**failed**');
  });

  test('JSON contains every span, link and path part, with full times', () => {
    const parsed = JSON.parse(traceGroupJson(traceGroupOf(TWO))) as Record<
      string,
      { start_ns: string; wait: boolean }[]
    >;
    expect(parsed['spans']).toHaveLength(3);
    expect(parsed['spans']?.[0]?.start_ns).toMatch(/^\d{19}$/);
    expect(parsed['critical_path']?.map(({ wait }) => wait)).toEqual([false, false, false, true, false]);
  });

  test('a small share never reads as zero', () => {
    expect([0, 0.00001, 0.004, 0.5, 0.9996, 1].map(percent)).toEqual([
      '0 %',
      '<0.01 %',
      '0.40 %',
      '50 %',
      '>99.9 %',
      '100 %',
    ]);
    expect(afterText(130_225 * MS, 131_000 * MS)).toBe('+130.225 s');
  });
});

describe('stages', () => {
  test('the pipeline shows the active stages and the waits', () => {
    const traceGroup = traceGroupOf(TWO);
    const { stages, pieces } = pipelineOf(
      traceGroup,
      'service',
      placesOf(extentOf(traceGroup), idleTimes(traceGroup), false),
    );
    expect(stages.map(({ title, spans, path_ns }) => [title, spans, path_ns / MS])).toEqual([
      ['monitor', 2, 8],
      ['drainer', 1, 6],
    ]);
    expect(pieces.map(({ stage }) => stage)).toEqual([0, -1, 1]);
    expect(stages[1]?.wait_ns).toBe((pieces[1]?.until_ns ?? 0) - (pieces[1]?.from_ns ?? 0));
    expect(stages[0]?.wait_ns).toBe(0);
  });
});

describe('calls', () => {
  const calls = `
    web GET /     <--------------------->
      db query      <-->
      db query           <---->
      web ()render              <-->
  `;
  test('calls of one caller with one name are one frame, as wide as their duration', () => {
    const roots = callTree(traceGroupOf(calls));
    const { boxes: rects, hidden } = flameFrames(roots, 'time', 0);
    const root = rects.find(({ node }) => node.depth === 0);
    const query = rects.find(({ node }) => node.name === 'query');
    expect(root).toMatchObject({ left: 0, width: 1 });
    expect(query?.node).toMatchObject({ spans: 2, time_ns: 10 * MS });
    expect(query?.width).toBeCloseTo(10 / 23);
    expect(hidden).toBe(0);
    expect(flameFrames(roots, 'time', 0.2).hidden).toBe(1);
  });

  test('parallel children share the width of their caller; by self time, no frame is wider than its caller', () => {
    const roots = callTree(
      traceGroupOf(`
        web GET /     <---------->
          db left      <-------->
          db right     <-------->
      `),
    );
    for (const weight of ['time', 'self'] as const) {
      const { boxes } = flameFrames(roots, weight, 0);
      const below = boxes.filter(({ node }) => node.depth === 1).reduce((sum, { width }) => sum + width, 0);
      expect(below).toBeLessThanOrEqual(1.000001);
    }
  });

  test('work after the end of its caller has a frame of its own duration; hidden frames count with their subtree', () => {
    const roots = callTree(
      traceGroupOf(`
        web POST /    <->
          queue send     |
            worker handle        <-------------->
              db write             <---------->
      `),
    );
    const { boxes, hidden } = flameFrames(roots, 'time', 0.0008);
    expect(boxes.map(({ node }) => node.name)).toEqual(['POST /', 'send', 'handle', 'write']);
    expect(boxes.find(({ node }) => node.name === 'handle')?.width).toBeGreaterThan(0.5);
    expect(hidden).toBe(0);
    const self = flameFrames(roots, 'time', 0.9);
    expect(self.boxes.length + self.hidden).toBe(4);
  });

  test('two traces are aligned by call path: longer, new and missing calls', () => {
    const after = `
      web GET /     <---------------------------->
        db query      <------------>
        cache get                     <-->
    `;
    const rows = compareCalls(callTree(traceGroupOf(calls)), callTree(traceGroupOf(after)));
    expect(rows.map(({ name, before, after: now }) => [name, before?.spans ?? 0, now?.spans ?? 0])).toEqual([
      ['GET /', 1, 1],
      ['query', 2, 1],
      ['()render', 1, 0],
      ['get', 0, 1],
    ]);
  });
});

const textsOf = (pen: RecordingPen): unknown[] => pen.named('fillText').map(({ values }) => values[0]);

test('only visible rows are painted, with waits, failures and the critical path', () => {
  const traceGroup = traceGroupOf(TWO.replace('<-->', '<--!'));
  const rows = waterfallRows(traceGroup, allRows);
  const extent = extentOf(traceGroup);
  const places = placesOf(extent, idleTimes(traceGroup), true);
  const pen = recordingPen();
  const scene = {
    traceGroup,
    rows,
    places,
    first: 0,
    end: rows.rows.length,
    scrollTop: 0,
    height: 200,
    scale: { places, window: { from: places.from, until: places.until }, width: 800 },
    from_ns: extent.from_ns,
    palette,
    pixelRatio: 1,
    selected: -1,
    current: -1,
    playhead_ns: null,
    brush_ns: null,
    pathOf: pathBySpan(traceGroup),
  };
  paintWaterfall(pen.pen, scene);
  const texts = textsOf(pen);
  const fills = (color: string) => pen.named('fillRect').filter(({ fillStyle }) => fillStyle === color);
  expect(texts).toContain('wait 1 s');
  expect(texts).toContain('8 ms');
  expect(fills('critical')).toHaveLength(1);
  expect(fills('text').length).toBeGreaterThan(3);
  const few = recordingPen();
  paintWaterfall(few.pen, { ...scene, end: 2 });
  expect(textsOf(few)).not.toContain('wait 1 s');
});
