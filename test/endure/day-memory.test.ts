import { expect, test } from 'vitest';
import { growthOf } from '../../endure/day-memory.ts';
import { randomFrom } from '../support/otlp-rows.ts';

const MINUTES = 10;

/** Memory that wanders for minutes, as a heap does between two collections, and grows by so much a minute. */
function memory(random: () => number, perMinute: number): (readonly [number, number])[] {
  let wander = 0;
  return Array.from({ length: MINUTES * 60 }, (_, second) => {
    wander = 0.98 * wander + (random() - 0.5) * 10e6;
    return [second * 1000, 500e6 + wander + (perMinute * second) / 60] as const;
  });
}

/** Of a hundred recordings: in how many the interval has what it really was, and in how many it lies above nothing. */
function among(perMinute: number) {
  const random = randomFrom(11);
  const growths = Array.from({ length: 100 }, () => growthOf(memory(random, perMinute)));
  const real = perMinute / 60_000;
  return {
    right: growths.filter((one) => one && one.low <= real && real <= one.high).length,
    grows: growths.filter((one) => one && one.low > 0).length,
  };
}

test('memory that only wanders is not taken for one that grows, and one that grows is', () => {
  const flat = among(0);
  expect(flat.right).toBeGreaterThanOrEqual(90);
  expect(flat.grows).toBeLessThanOrEqual(7);
  expect(among(30e6).grows).toBeGreaterThanOrEqual(90);
});

test('what is too short has no slope', () => {
  expect(growthOf(memory(randomFrom(1), 0).slice(0, 60))).toBeNull();
});
