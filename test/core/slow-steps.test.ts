import { expect, test } from 'vitest';
import { emptyMeasurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { findSlowSteps, findUnevenSteps } from '../../src/core/analysis/impact/slow-steps.ts';

/** Minutes with 20 steps each, of which the typical one takes so many seconds. */
function minutes(seconds: readonly number[], slowest = seconds) {
  const table = emptyMeasurements(
    1,
    'steps',
    seconds.map((_, i) => BigInt(i + 1) * 60_000_000_000n),
  );
  seconds.forEach((value, i) => {
    table.p50[i] = value * 1000;
    table.p99[i] = slowest[i]! * 1000;
    table.requests[i] = 20;
  });
  return table;
}

const calm = Array.from({ length: 12 }, (_, i) => 3 + 0.02 * Math.sin(1.7 * i));
const slow = Array.from({ length: 8 }, (_, i) => 4.5 + 0.02 * Math.sin(2.3 * i));

test('steps that take half as long again are slow until they do not', () => {
  const [found, ...others] = findSlowSteps(minutes([...calm, ...slow, ...calm]));
  expect(others).toEqual([]);
  expect(found).toMatchObject({ first: 12, last: 19, earliest: 12 });
  expect(found!.times).toBeCloseTo(1.5, 1);
});

test('the measurement before, some of whose steps are slow, may contain the onset', () => {
  const some = [...calm.slice(0, -1), 4.5];
  expect(findSlowSteps(minutes([...calm, ...slow], [...some, ...slow]))).toMatchObject([{ first: 12, earliest: 11 }]);
});

test('a job that warms up, a single slow minute, and one whose steps differ anyway are not slowed', () => {
  expect(findSlowSteps(minutes([9, 6, ...calm]))).toEqual([]);
  expect(findSlowSteps(minutes([...calm, 9, ...calm]))).toEqual([]);
  const uneven = Array.from({ length: 40 }, (_, i) => 3 + 1.5 * Math.abs(Math.sin(1.1 * i)));
  expect(findSlowSteps(minutes(uneven))).toEqual([]);
});

/** Minutes of steps of 6.5 s, of which the slowest one takes so many seconds. */
function withSlowest(seconds: readonly number[]) {
  const table = minutes(
    seconds.map(() => 6.5),
    seconds,
  );
  seconds.forEach((value, i) => {
    table.p95[i] = value * 1000;
    table.requests[i] = value > 7 ? 7 : 9;
    table.throughput[i] = table.requests[i]! / 60;
  });
  return table;
}

test('single steps that take longer minute after minute, so that fewer are done, are found', () => {
  const even = Array.from({ length: 16 }, () => 6.5);
  expect(findUnevenSteps(withSlowest([...even, 13, 14, 12, 11, ...even]))).toEqual([{ first: 16, last: 19 }]);
});

test('a checkpoint every few minutes makes no uneven steps, nor does one in each minute', () => {
  expect(findUnevenSteps(withSlowest(Array.from({ length: 40 }, (_, i) => (i % 8 === 0 ? 15 : 6.5))))).toEqual([]);
  expect(findUnevenSteps(withSlowest(Array.from({ length: 40 }, () => 15)))).toEqual([]);
});
