import { describe, expect, test } from 'vitest';
import type { LaneEvents } from '../../src/model/contract/index.ts';
import { over, PixelLayer } from '../../src/renderer/draw/canvas/pixel-layer.ts';
import { drawDensity } from '../../src/renderer/draw/timeline/density.ts';
import {
  drawCounts,
  drawEventGrounds,
  drawGlyphs,
  Stacks,
  stackEvents,
  traceGlyph,
} from '../../src/renderer/draw/timeline/event-marks.ts';
import { hitEvent } from '../../src/renderer/draw/timeline/hit.ts';
import type { LaneRect } from '../../src/renderer/draw/timeline/lane-rect.ts';
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
  mildest: 3,
});

/** One second is one pixel, and the data starts at the left edge. */
const laneRect: LaneRect = { y: 0, height: 28, width: 300, pixelRatio: 1, originX: 0, pixelsPerSecond: 1 };

const stacksOf = (data: LaneEvents, at: LaneRect = laneRect) => {
  const stacks = new Stacks();
  stackEvents(data, at, stacks);
  return Array.from({ length: stacks.length }, (_, index) => ({
    x: stacks.worstX[index],
    count: stacks.count[index],
    severity: stacks.severity[index],
  }));
};

describe('stacking', () => {
  test('events six pixels apart stay separate, closer ones become one stack', () => {
    expect(stacksOf(events([10, 16, 21.9])).map(({ count }) => count)).toEqual([1, 2]);
  });
  test('a stack shows its most severe event at the position of that event', () => {
    expect(stacksOf(events([100, 102, 104], [3, 0, 1]))).toEqual([{ x: 102, count: 3, severity: 0 }]);
  });
  test('a long burst keeps its shape: no stack is wider than 24 pixels', () => {
    const burst = Array.from({ length: 100 }, (_, at) => 50 + at);
    const stacks = stacksOf(events(burst));
    expect(stacks).toHaveLength(5);
    expect(stacks.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(100);
  });
  test('events out of view are not visited', () => {
    const stacks = stacksOf(events([0, 100, 1000, 2000]), { ...laneRect, originX: -900 });
    expect(stacks.map(({ x }) => x)).toEqual([100]);
  });
  test('columns grow beyond their initial size and keep their content', () => {
    const data = events(Array.from({ length: 5000 }, (_, at) => at * 10));
    const stacks = new Stacks();
    stackEvents(data, { ...laneRect, width: 60_000 }, stacks);
    expect(stacks.length).toBe(5000);
    expect(stacks.worstX[0]).toBe(0);
    expect(stacks.worstX[4999]).toBe(49_990);
  });
});

describe('glyphs', () => {
  const stacksIn = (data: LaneEvents, at: LaneRect = laneRect) => {
    const stacks = new Stacks();
    stackEvents(data, at, stacks);
    return stacks;
  };
  /** Squares of one opaque colour: 1 to 4 by severity, 11 to 14 for small ones. */
  const square = (name: number) => ({ side: 16, pixels: new Uint32Array(256).fill(0xff000000 + name) });
  const sprites = { small: [11, 12, 13, 14].map(square), large: [1, 2, 3, 4].map(square) };
  const drawn = (data: LaneEvents, at: LaneRect = laneRect) => {
    const layer = new PixelLayer();
    layer.reset(300, 28, 1);
    drawGlyphs(layer, stacksIn(data, at), sprites);
    const row = 14 * 300;
    return (x: number) => (layer.pixels[row + x] ?? 0) & 255;
  };
  test('one sprite per mark by severity; low lanes have small ones', () => {
    const data = events([10, 60, 110, 160], [0, 1, 2, 3]);
    expect([10, 60, 110, 160].map(drawn(data))).toEqual([1, 2, 3, 4]);
    expect([1, 2, 17, 18].map(drawn(data))).toEqual([0, 1, 1, 0]);
    expect(drawn(data, { ...laneRect, height: 18 })(160)).toBe(14);
  });
  test('the most severe is on top, and a sprite cut by an edge keeps to its row', () => {
    expect(drawn(events([100, 106], [0, 1]))(105)).toBe(1);
    expect(drawn(events([100, 106], [1, 0]))(105)).toBe(1);
    expect([0, 7, 8, 291, 292, 299].map(drawn(events([0, 300])))).toEqual([3, 3, 0, 0, 3, 3]);
  });
  test('a translucent edge is blended with the pixel below, and unchanged without one', () => {
    expect(over(0x80ffffff, 0)).toBe(0x80ffffff);
    expect(over(0xff123456, 0xff654321)).toBe(0xff123456);
    expect(over(0x80ffffff, 0xff000000)).toBe(0xff808080);
    expect(over(0x80ffffff, 0x80ffffff)).toBe(0xc0ffffff);
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
  test('a count is drawn only if there is room', () => {
    const counts = (offsets: readonly number[]) => {
      const recorded = recordingPen();
      drawCounts(recorded.pen, stacksIn(events(offsets)), palette, laneRect.width);
      return recorded.named('fillText').map(({ values }) => values[0]);
    };
    expect(counts([10, 12, 200])).toEqual(['2']);
    expect(counts([10, 12, 20])).toEqual([]);
  });
});

test('with buckets narrower than a pixel, a column shows the highest', () => {
  const layer = new PixelLayer();
  layer.reset(20, 28, 1);
  const counts = Int32Array.from([0, 0, 0, 0, 1, 7, 0, 1, 0, 0, 1, 1]);
  const style = { color: 3, bucketSeconds: 0.25, most: 7, hangs: false };
  drawDensity(layer, counts, { ...laneRect, width: 20 }, style);
  const tall = (x: number) =>
    Array.from({ length: 28 }, (_, y) => layer.pixels[y * 20 + x]).filter((pixel) => pixel === 3).length;
  expect([0, 1, 2, 3].map(tall)).toEqual([0, 24, 8, 0]);
});

test('too many events become a density chart, with glyphs for the most severe only', () => {
  const layer = new PixelLayer();
  layer.reset(20, 28, 1);
  const stacks = new Stacks();
  const data = { ...events([6], [0]), truncated: true, mildest: 0, density: Int32Array.from([0, 8, 0, 1]) };
  drawEventGrounds(
    layer,
    data,
    { ...laneRect, width: 20 },
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
  expect([stacks.length, stacks.worstX[0], stacks.severity[0]]).toEqual([1, 6, 0]);
});

describe('hit', () => {
  test('a hit returns the most severe event within reach and the number of events in its mark', () => {
    expect(hitEvent(events([100, 103, 130], [2, 0, 0]), laneRect, 101)).toEqual({ index: 1, together: 2, x: 103 });
  });
  test('no hit beyond eight pixels', () => {
    expect(hitEvent(events([100]), laneRect, 120)).toBeNull();
  });
});
