import { expect, test } from 'vitest';
import { formatUtc, nanos, parseTime, secondsBetween } from '../../src/model/time.ts';

test.each([
  ['2024-01-15T14:32:01.000Z', 1705329121000000000n],
  ['2024-01-15T14:32:01Z', 1705329121000000000n],
  ['2024-01-15 14:32:01+02:00', 1705321921000000000n],
  ['2024-01-15T14:32:01,123456789-0530', 1705348921123456789n],
  ['1969-12-31T23:59:59.999999999Z', -1n],
  ['2261-12-31T23:59:59Z', 9214646399000000000n],
  ['2024-02-29T00:00:00Z', 1709164800000000000n],
  ['2024-01-15T14:32Z', 1705329120000000000n],
  ['2024-01-15T14:32+02:00', 1705321920000000000n],
])('%s is exact to the nanosecond', (text, expected) => {
  expect(parseTime(text)).toBe(expected);
});

test.each([
  ['2024-01-15T14:32:01', 'time.no_zone'],
  ['2024-01-15T14:32', 'time.no_zone'],
  ['2024-01-15T14:32:', 'time.unreadable'],
  ['2024-01-15T14:32:01.5', 'time.no_zone'],
  ['yesterday', 'time.unreadable'],
  ['2023-02-29T00:00:00Z', 'time.unreadable'],
  ['2024-13-01T00:00:00Z', 'time.unreadable'],
  ['2024-01-15T25:00:00Z', 'time.unreadable'],
  ['1705329121', 'time.unreadable'],
  ['9999-12-31T23:59:59Z', 'time.out_of_range'],
  ['0001-01-01T00:00:00Z', 'time.out_of_range'],
  ['2262-12-31T00:00:00Z', 'time.out_of_range'],
])('%s is refused as %s', (text, code) => {
  expect(() => parseTime(text)).toThrow(expect.objectContaining({ problem: expect.objectContaining({ code }) }));
});

test('times are written in UTC with milliseconds and Z, before 1970 too', () => {
  expect(formatUtc(nanos(1705329121999999999n))).toBe('2024-01-15T14:32:01.999Z');
  expect(formatUtc(nanos(-1n))).toBe('1969-12-31T23:59:59.999Z');
  expect(secondsBetween(nanos(1_000_000_000n), nanos(2_500_000_000n))).toBe(1.5);
});
