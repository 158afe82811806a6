import { expect, test } from 'vitest';
import type { ResourceLane } from '../../src/model/contract/index.ts';
import { LANE_HEIGHT, paintResources, rangeOf } from '../../src/renderer/draw/traces/resource-lanes.ts';
import { Places } from '../../src/renderer/draw/traces/trace-group-scale.ts';
import { palette } from './palette.ts';
import { recordingPen } from './recording-pen.ts';

const WIDTH = 500;

const laneOf = (samples: number, unit: ResourceLane['unit'] = 'W'): ResourceLane => ({
  entity: 'gpu:node-1/GPU-0',
  metric: 'hw.power',
  unit,
  replica: '',
  from: 'metric',
  times_ns: Float64Array.from({ length: samples }, (_, at) => (at * 1e6) / samples),
  values: Float64Array.from({ length: samples }, (_, at) => at % 7),
});

function strokesOf(lanes: readonly ResourceLane[], window = { from: 0, until: 1e6 }) {
  const { pen, named } = recordingPen();
  const scale = { places: new Places({ from_ns: 0, until_ns: 1e6 }, [], 0), window, width: WIDTH };
  paintResources(pen, { lanes, top: 0, height: lanes.length * LANE_HEIGHT, scale, from_ns: 0, palette });
  return { lines: named('lineTo').length, dots: named('arc').length };
}

test('a lane costs what its pixels show, however many samples it has', () => {
  // Steps of seven values in a column: two strokes into it, six at most within it.
  expect(strokesOf([laneOf(200_000)]).lines).toBeLessThan(WIDTH * 8 + 10);
  expect(strokesOf([laneOf(200_000)]).dots).toBeLessThan(WIDTH / 12 + 2);
  // Few samples are all drawn.
  expect(strokesOf([laneOf(10)])).toEqual({ lines: 2 * 9 + 1, dots: 10 });
});

test('samples outside of the window are not drawn, but for the one that holds as it begins', () => {
  // 100 samples, 10 µs apart: those of 50 to 60 % of the time, and the end of the last one.
  expect(strokesOf([laneOf(100)], { from: 505_000, until: 605_000 }).dots).toBe(11);
  expect(strokesOf([laneOf(0)])).toEqual({ lines: 0, dots: 0 });
});

test('a share beyond 100 % stays within its lane', () => {
  const busy = { ...laneOf(3, '%'), values: Float64Array.of(235, 40, 90) };
  expect(rangeOf(busy)).toEqual([0, 235]);
  expect(rangeOf({ ...busy, values: Float64Array.of(40, 90, 20) })).toEqual([0, 100]);
  expect(rangeOf({ ...laneOf(3), values: Float64Array.of(-5, -2, -3) })).toEqual([-5, 0]);
});
