import { describe, expect, test } from 'vitest';
import type { LaneEvents } from '../../src/model/contract/index.ts';
import { drawEventGrounds, drawStacks, Stacks, stackEvents, traceGlyph } from '../../src/renderer/draw/event-marks.ts';
import { hitEvent } from '../../src/renderer/draw/hit.ts';
import type { LaneBox } from '../../src/renderer/draw/lane-box.ts';
import { PixelLayer } from '../../src/renderer/draw/pixel-layer.ts';
import { palette } from './palette.ts';
import { recordingPen } from './recording-pen.ts';

const events = (offsets: readonly number[], severities: readonly number[] = []): LaneEvents => ({
  kind: 'events',
  lane: 'events:pdu:A',
  offset_s: Float64Array.from(offsets),
  severity: Uint8Array.from(offsets, (_, at) => severities[at] ?? 2),
  event_id: Int32Array.from(offsets, (_, at) => at + 1),
  type: new Int32Array(offsets.length),
  types: ['sag'],
  density: new Int32Array(10),
  truncated: false,
});

/** One second is one pixel, and the data begins at the left edge. */
const box: LaneBox = { y: 0, height: 28, width: 300, pixelRatio: 1, originX: 0, pixelsPerSecond: 1 };

const stacksOf = (data: LaneEvents, at: LaneBox = box) => {
  const stacks = new Stacks();
  stackEvents(data, at, stacks);
  return Array.from({ length: stacks.length }, (_, index) => ({
    x: stacks.worstX[index],
    count: stacks.count[index],
    severity: stacks.severity[index],
  }));
};

describe('stacking', () => {
  test('events six pixels apart stand alone, closer ones become one stack', () => {
    expect(stacksOf(events([10, 16, 21.9])).map(({ count }) => count)).toEqual([1, 2]);
  });
  test('a stack shows its worst event, where that one is', () => {
    expect(stacksOf(events([100, 102, 104], [3, 0, 1]))).toEqual([{ x: 102, count: 3, severity: 0 }]);
  });
  test('a long burst keeps its shape: no stack is wider than 24 pixels', () => {
    const burst = Array.from({ length: 100 }, (_, at) => 50 + at);
    const stacks = stacksOf(events(burst));
    expect(stacks).toHaveLength(5);
    expect(stacks.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(100);
  });
  test('what is out of view is not walked', () => {
    const stacks = stacksOf(events([0, 100, 1000, 2000]), { ...box, originX: -900 });
    expect(stacks.map(({ x }) => x)).toEqual([100]);
  });
  test('columns grow past their first size and keep what they hold', () => {
    const data = events(Array.from({ length: 5000 }, (_, at) => at * 10));
    const stacks = new Stacks();
    stackEvents(data, { ...box, width: 60_000 }, stacks);
    expect(stacks.length).toBe(5000);
    expect(stacks.worstX[0]).toBe(0);
    expect(stacks.worstX[4999]).toBe(49_990);
  });
});

describe('glyphs', () => {
  const pictures = (size: string) => ['critical', 'high', 'medium', 'low'].map((name) => `${name} ${size}`) as never;
  const sprites = { small: pictures('small'), large: pictures('large') };
  const draw = (data: LaneEvents, at: LaneBox = box) => {
    const recorded = recordingPen();
    const stacks = new Stacks();
    stackEvents(data, at, stacks);
    drawStacks(recorded.pen, stacks, { palette, sprites, width: box.width, pixelRatio: 1 });
    return recorded;
  };
  test('one picture per mark by severity, the worst drawn last; low lanes have small ones', () => {
    const data = events([10, 60, 110, 160], [0, 1, 2, 3]);
    const drawn = (at: LaneBox) =>
      draw(data, at)
        .named('drawImage')
        .map(({ values }) => values.slice(0, 2));
    expect(drawn(box)).toEqual([
      ['low large', 152],
      ['medium large', 102],
      ['high large', 52],
      ['critical large', 2],
    ]);
    expect(drawn({ ...box, height: 18 })[0]).toEqual(['low small', 152]);
  });
  test('each severity has its own shape', () => {
    const shape = (severity: number) => {
      const { pen, calls } = recordingPen();
      traceGlyph(pen, severity, 8, 8, 5);
      return calls.map(({ name }) => name).join(' ');
    };
    expect(shape(0)).toBe('moveTo lineTo lineTo closePath');
    expect(shape(1)).toBe('moveTo lineTo lineTo lineTo closePath');
    expect(shape(2)).toBe('moveTo arc');
  });
  test('a count is written only where there is room for it', () => {
    const counts = (offsets: readonly number[]) =>
      draw(events(offsets))
        .named('fillText')
        .map(({ values }) => values[0]);
    expect(counts([10, 12, 200])).toEqual(['2']);
    expect(counts([10, 12, 20])).toEqual([]);
  });
});

test('too many events are drawn as density, and nothing as glyphs', () => {
  const layer = new PixelLayer();
  layer.reset(20, 28, 1);
  const stacks = new Stacks();
  const data = { ...events([]), truncated: true, density: Int32Array.from([0, 8, 0, 1]) };
  drawEventGrounds(
    layer,
    data,
    { ...box, width: 20 },
    {
      stacks,
      colors: { line: 1, band: 2, density: 3, stacks: [4, 5, 6, 7], tones: [], edges: [], quiet: 4, gap: 5 },
      bucketSeconds: 2,
    },
  );
  const tall = (x: number) =>
    Array.from({ length: 28 }, (_, y) => layer.pixels[y * 20 + x]).filter((pixel) => pixel === 3).length;
  expect([tall(0), tall(2), tall(3), tall(4)]).toEqual([0, 24, 24, 0]);
  expect(tall(6)).toBeGreaterThan(0);
  expect(tall(6)).toBeLessThan(24);
  expect(stacks.length).toBe(0);
});

describe('hit', () => {
  test('the worst event within reach wins, and says how many share its place', () => {
    expect(hitEvent(events([100, 103, 130], [2, 0, 0]), box, 101)).toEqual({ index: 1, together: 2, x: 103 });
  });
  test('nothing within eight pixels is nothing', () => {
    expect(hitEvent(events([100]), box, 120)).toBeNull();
  });
});
