import { expect, test } from 'vitest';
import { wholeRange } from '../../src/core/analysis/impact/whole-range.ts';

const SECOND = 1_000_000_000n;
const part = (first_s: number, last_s: number, requests = 100) => ({
  first_ns: BigInt(first_s) * SECOND,
  last_ns: BigInt(last_s) * SECOND,
  requests,
});
const rangeOf = (...parts: readonly ReturnType<typeof part>[]) => {
  const whole = wholeRange(parts);
  return whole && [Number(whole.from_ns / SECOND), Number(whole.to_ns / SECOND)];
};

test('parts that begin and end a little apart are whole between', () => {
  expect(rangeOf(part(0, 3600), part(50, 3570), part(20, 3590))).toEqual([50, 3570]);
});

test('a replica that comes later or goes earlier was not there: that is no edge of the recording', () => {
  expect(rangeOf(part(0, 3600), part(600, 3600), part(0, 3000))).toEqual([0, 3600]);
});

test('a series of few requests, such as of an error, decides nothing', () => {
  expect(rangeOf(part(0, 3600, 10_000), part(100, 3500, 3))).toEqual([0, 3600]);
});

test('without parts nothing is known', () => {
  expect(wholeRange([])).toBeUndefined();
});
