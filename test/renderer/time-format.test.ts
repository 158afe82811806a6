import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nanos, parseTime } from '../../src/model/time.ts';
import { axisTicks, tickStep } from '../../src/renderer/draw/canvas/axis.ts';
import { timeAt, timeScale, xOf } from '../../src/renderer/draw/canvas/time-scale.ts';
import {
  datedWithin,
  formatDate,
  formatDuration,
  formatOffset,
  formatTime,
} from '../../src/renderer/draw/text/format-time.ts';

const at = parseTime('2026-03-14T02:18:02.412345678Z');
const origin = parseTime('2026-03-14T02:18:10Z');
let zone: string | undefined;
beforeAll(() => {
  zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
});
afterAll(() => {
  process.env.TZ = zone;
});

describe('one instant in three modes', () => {
  test('UTC keeps its nanoseconds', () => {
    expect(formatTime(at, { mode: 'utc', originNs: origin })).toBe('02:18:02.412');
    expect(formatTime(at, { mode: 'utc', originNs: origin }, 9)).toBe('02:18:02.412345678');
    expect(formatDate(at, { mode: 'utc', originNs: origin })).toBe('2026-03-14');
  });
  test('local is the wall clock of this machine, possibly on another day', () => {
    expect(formatTime(at, { mode: 'local', originNs: origin }, 0)).toBe('22:18:02');
    expect(formatDate(at, { mode: 'local', originNs: origin })).toBe('2026-03-13');
  });
  test('a window of several days shows the date too', () => {
    const window = (length: number, mode: 'utc' | 'local' | 'relative') =>
      formatTime(at, datedWithin(length, { mode, originNs: origin }), 0);
    expect(window(86_400e9, 'utc')).toBe('02:18:02');
    expect(window(86_401e9, 'utc')).toBe('2026-03-14 02:18:02');
    expect(window(1e18, 'local')).toBe('2026-03-13 22:18:02');
    expect(window(1e18, 'relative')).toBe('\u22128 s');
  });
  test('relative counts from the onset, with a sign', () => {
    expect(formatTime(at, { mode: 'relative', originNs: origin }, 1)).toBe('\u22127.6 s');
    expect(formatOffset(2.5e9)).toBe('+2.5 s');
    expect(formatOffset(-125e9, 0)).toBe('\u22122 m 05 s');
    expect(formatOffset(3 * 3600e9 + 240e9)).toBe('+3 h 04 m');
  });
});

test('durations', () => {
  expect([1.5e3, 850e6, 19.8e9, 20 * 60e9, 125e9, 3660e9, 3 * 86400e9].map(formatDuration)).toEqual([
    '1.5 µs',
    '850 ms',
    '19.8 s',
    '20 m',
    '2 m 05 s',
    '1 h 01 m',
    '3 d',
  ]);
  // Nothing is rounded up to more than its unit can be.
  expect([999_960, 999.9e6, 119.7e9, 239.99e9, 3599.7e9, 7199e9].map(formatDuration)).toEqual([
    '1 ms',
    '1 s',
    '2 m',
    '4 m',
    '1 h',
    '2 h',
  ]);
});

describe('axis', () => {
  test('steps are round and far enough apart', () => {
    expect(tickStep(1e9 / 100, 96)).toBe(1e9);
    expect(tickStep(60e9 / 10, 96)).toBe(600e9);
    expect(tickStep(7e12, 96) % 604800e9).toBe(0);
  });
  test('UTC ticks fall on round instants', () => {
    const start = parseTime('2026-03-14T02:17:59.700Z');
    const scale = timeScale(start, nanos(start + 13_700_000_000n), 620);
    expect(axisTicks(scale, { mode: 'utc', originNs: origin }).map(({ label }) => label)).toEqual([
      '02:18:00',
      '02:18:05',
      '02:18:10',
    ]);
  });
  test('relative ticks count from the onset, through zero', () => {
    const scale = timeScale(nanos(origin - 10_000_000_000n), nanos(origin + 10_000_000_000n), 400);
    const labels = axisTicks(scale, { mode: 'relative', originNs: origin }).map(({ label }) => label);
    expect(labels).toEqual(['\u221210 s', '\u22125 s', '+0 s', '+5 s', '+10 s']);
  });
  test('a wide window in a time zone with an offset has local midnights', () => {
    const scale = timeScale(parseTime('2026-03-10T00:00:00Z'), parseTime('2026-03-13T00:00:00Z'), 300);
    const labels = axisTicks(scale, { mode: 'local', originNs: origin }).map(({ label }) => label);
    expect(labels).toEqual(['2026-03-10', '2026-03-11', '2026-03-12', '2026-03-13'].slice(0, labels.length));
    expect(labels.length).toBeGreaterThan(1);
  });
});

test('windows of months and years have few ticks, on the first of a month', () => {
  const labels = (from: string, to: string) =>
    axisTicks(timeScale(parseTime(from), parseTime(to), 620), { mode: 'utc', originNs: origin }).map(
      ({ label }) => label,
    );
  expect(labels('2025-12-20T00:00:00Z', '2026-07-10T00:00:00Z')).toEqual(['2026-01', '2026-04', '2026-07']);
  expect(labels('2017-03-23T00:00:00Z', '2026-12-21T00:00:00Z')).toEqual(['2018', '2020', '2022', '2024', '2026']);
  expect(labels('1700-01-01T00:00:00Z', '2250-01-01T00:00:00Z').length).toBeLessThan(8);
  const relative = axisTicks(timeScale(parseTime('2017-03-23T00:00:00Z'), parseTime('2026-12-21T00:00:00Z'), 620), {
    mode: 'relative',
    originNs: parseTime('2020-01-01T00:00:00Z'),
  });
  expect(relative.length).toBeLessThan(8);
});

test('pixels and instants convert both ways to the nanosecond', () => {
  const scale = timeScale(at, nanos(at + 1_000_000n), 1000);
  expect(timeAt(scale, xOf(scale, at + 777_000n))).toBe(at + 777_000n);
});
