import { expect, test } from 'vitest';
import { heatRange } from '../../src/renderer/draw/timeline/heat-map.ts';

const NONE = Number.NaN;

test('the scale leaves out the farthest cells', () => {
  const values = Float64Array.from({ length: 1001 }, (_, at) => at);
  values[1000] = 1e9;
  expect(heatRange(values)).toEqual([5, 995]);
  expect(heatRange(Float64Array.from([NONE, 3, NONE]))).toEqual([2, 4]);
  expect(heatRange(Float64Array.from([NONE]))).toEqual([0, 1]);
});

test('of hundreds of thousands of cells it is nearly that of all', () => {
  const values = Float64Array.from({ length: 400_000 }, (_, at) => (at * 7919) % 100_003);
  const [low, high] = heatRange(values);
  expect(low / 100_003).toBeCloseTo(0.005, 2);
  expect(high / 100_003).toBeCloseTo(0.995, 2);
});

test('cells of one bucket of a hundred, and few recorded ones, count', () => {
  // Each row has its highest value in the same bucket.
  const slow = Float64Array.from({ length: 400_000 }, (_, at) => (at % 100 === 0 ? 9 : 1));
  expect(heatRange(slow)).toEqual([1, 9]);
  const few = new Float64Array(400_000).fill(NONE);
  few.set([4, 5, 6], 77_777);
  expect(heatRange(few)).toEqual([4, 6]);
});
