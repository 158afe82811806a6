import { describe, expect, test } from 'vitest';
import type { LaneMetric } from '../../src/model/contract/index.ts';
import { PixelLayer } from '../../src/renderer/draw/canvas/pixel-layer.ts';
import {
  drawMetric,
  type MetricRect,
  measureMetric,
  niceRange,
  sampleAt,
  valueAt,
} from '../../src/renderer/draw/timeline/metric-line.ts';

const gap = Number.NaN;
const metric = (last: readonly number[], min = last, max = last): LaneMetric => ({
  kind: 'metric',
  lane: 'metric:pdu:A:v',
  last: Float64Array.from(last),
  min: Float64Array.from(min),
  max: Float64Array.from(max),
});

const LINE = 7;
const BAND = 5;
const colors = { line: LINE, band: BAND, density: 0, stacks: [], tones: [], edges: [], quiet: 4, gap: 5 };

/** Draws values 0 to 10 over rows 3 to 13, one bucket per pixel, and returns the image as text. */
function picture(data: LaneMetric, change: Partial<MetricRect> = {}): string[] {
  const width = Math.ceil(data.last.length * (change.bucketPx ?? 1));
  const layer = new PixelLayer();
  layer.reset(width, 17, 1);
  const metricRect = {
    y: 0,
    height: 17,
    width,
    pixelRatio: 1,
    originX: 0,
    bucketPx: 1,
    bottom: 0,
    top: 11,
    gapBuckets: 2,
    breaks: [],
    ...change,
  };
  drawMetric(layer, data, metricRect, colors);
  return Array.from({ length: 17 }, (_, y) =>
    Array.from({ length: width }, (_column, x) => {
      const pixel = layer.pixels[y * width + x];
      return pixel === LINE ? '#' : pixel === BAND ? '-' : '.';
    }).join(''),
  ).filter((row) => /[#-]/.test(row));
}

describe('the line', () => {
  test('continues a value until the next sample, then steps', () => {
    expect(picture(metric([5, 5, 5, 8, 8, 8]))).toEqual(['...###', '...#..', '...#..', '####..']);
  });
  test('has a gap where nothing was recorded', () => {
    expect(picture(metric([5, 5, gap, gap, gap, gap, 5, 5]))).toEqual(['##....##']);
  });
  test('a single sample is a dot', () => {
    expect(picture(metric([gap, gap, gap, 5, gap, gap, gap, gap]))).toEqual(['...##...', '...##...']);
  });
  test('does not cross an outage of its feed, however short', () => {
    const down = { breaks: [{ from: 2.2, until: 2.8 }] };
    expect(picture(metric([5, 5, 5, 5, 5, 5]), down)).toEqual(['######']);
    expect(picture(metric([5, 5, gap, 5, 5]), { breaks: [{ from: 1.5, until: 2.5 }] })).toEqual(['##.##']);
    expect(picture(metric([5, 5, gap, 5, gap, 5, 5]), { breaks: [{ from: 4.2, until: 4.6 }] })).toEqual(['####.##']);
  });
  test('continues from the first sample after the outage', () => {
    const wide = { bucketPx: 4, gapBuckets: 4 };
    const data = metric([5, 5, gap, 5, 5, 5]);
    expect(picture(data, { ...wide, breaks: [{ from: 1.5, until: 3.4 }] })[0]).toBe('..#####.......#########.');
    expect(picture(data, wide)[0]).toBe('..#####################.');
  });
  test('connects samples at their usual distance', () => {
    expect(picture(metric([5, gap, gap, gap, 5]), { gapBuckets: 4 })[0]).toBe('#####');
  });
});

test('the band spans minimum to maximum, under the line', () => {
  expect(picture(metric([5, 5, 5], [5, 3, 5], [5, 7, 5]))).toEqual(['.-.', '.-.', '###', '.-.', '.-.']);
});

test('many buckets in a pixel keep their spike', () => {
  const last = Array.from({ length: 40 }, () => 2);
  const max = last.map((value, at) => (at === 21 ? 9 : value));
  const rows = picture(metric(last, last, max), { bucketPx: 0.25 });
  expect(rows[0]).toBe('.....-....');
});

describe('measure', () => {
  test('the range ignores gaps, and the usual distance defines a gap', () => {
    expect(measureMetric(metric([1, gap, gap, gap, 3, gap, gap, gap, 2]))).toEqual({ low: 1, high: 3, gapBuckets: 10 });
  });
  test('a range starts at zero only if the data comes near it', () => {
    expect(niceRange(0.1, 4)[0]).toBe(0);
    expect(niceRange(208, 231)[0]).toBeGreaterThan(200);
    expect(niceRange(5, 5)[0]).toBeLessThan(5);
    expect(niceRange(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)).toEqual([0, 1]);
  });
  test('the value under a cursor is the last one before it, unless that is too old', () => {
    const data = metric([4, gap, gap, gap, gap, 6]);
    expect(valueAt(data, 2, 2)).toBe(4);
    expect(valueAt(data, 4, 2)).toBeNaN();
    expect(valueAt(data, 5, 2)).toBe(6);
  });
});

describe('sparse samples', () => {
  test('are marked where they were taken; dense ones are a line alone', () => {
    const sparse = metric([5, gap, gap, 5, gap, gap, 5, gap, gap]);
    const shape = { gapBuckets: measureMetric(sparse).gapBuckets };
    expect(picture(sparse, { ...shape, bucketPx: 5 })).toHaveLength(3);
    expect(picture(sparse, { ...shape, bucketPx: 1 })).toHaveLength(1);
  });
  test('the value at an instant is that of the sample before it', () => {
    const data = metric([gap, 5, gap, gap, gap, 7]);
    expect([0, 1, 3, 4, 5].map((at) => sampleAt(data, at, 2))).toEqual([-1, 1, 1, -1, 5]);
  });
});
