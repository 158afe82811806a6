import { expect, test } from 'vitest';
import { spreadOfValues } from '../../src/core/analysis/differences/spread.ts';
import { sidePath, spreadBars } from '../../src/renderer/draw/text/spread-bars.ts';

const room = { width: 160, height: 20 };
const heights = (path: string): number[] => [...path.matchAll(/v(-?[\d.]+)h-/g)].map(([, tall]) => Number(tall));

test('both sides of a number stand on one scale, however many values each has', () => {
  const low = Array.from({ length: 1000 }, (_, at) => 100 + (at % 10));
  const high = Array.from({ length: 10 }, (_, at) => 200 + at);
  const bars = spreadBars({ spread: spreadOfValues(high, low), values: [] });
  expect(bars).toHaveLength(16);
  expect(bars[0]).toMatchObject({ region: 0 });
  expect(bars[15]?.region).toBeGreaterThan(0.2);
  expect(bars.slice(2).every(({ baseline }) => baseline === 0)).toBe(true);
  const up = heights(sidePath(bars, 'region', true, room));
  const down = heights(sidePath(bars, 'baseline', true, room));
  expect(up.every((tall) => tall < 0 && tall >= -9)).toBe(true);
  expect(down.every((tall) => tall > 0 && tall <= 9)).toBe(true);
  expect(Math.max(...down, ...up.map(Math.abs))).toBe(9);
});

test('a long tail is in bars of the logarithm, and what lies beyond in the outer ones', () => {
  const tail = spreadOfValues([1, 10, 100, 1000], [1, 1, 1, 1]);
  expect(tail).toMatchObject({ from: 1, to: 1000, is_log: true });
  expect(tail?.region.counts.flatMap((count, at) => (count > 0 ? [at] : []))).toEqual([0, 5, 10, 15]);
  expect(spreadOfValues([0, 1, 2], [5])).toMatchObject({ is_log: false });
  expect(spreadOfValues([3, 3], [3])?.region.counts[0]).toBe(2);
  expect(spreadOfValues([], [3])).toBeNull();
});

test('a share is a pair among the values of its attribute, itself first', () => {
  const values = [
    { value: 'b', region: 0.6, baseline: 0 },
    { value: 'a', region: 0.4, baseline: 1 },
  ];
  const bars = spreadBars({ spread: null, values });
  expect(bars.map(({ key, isMain }) => [key, isMain])).toEqual([
    ['b', true],
    ['a', false],
  ]);
  expect(sidePath(bars, 'baseline', true, room)).toBe('');
  expect(heights(sidePath(bars, 'region', true, room))).toHaveLength(1);
});
