import { expect, test } from 'vitest';
import { findAllImpacts, findImpacts } from '../../src/core/analysis/impact/impact.ts';
import { emptyMeasurements, type Measurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { usualHourWarnings } from '../../src/core/analysis/warnings/measurement-warnings.ts';
import { warningText } from '../../src/core/analysis/warnings/warning-text.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';

const options = correlateOptionsSchema.parse({});
const PER_DAY = 288;

interface Measured {
  readonly times?: number;
  readonly errors?: number;
}

/** Every five minutes, by day and hour. */
function days(from: number, count: number, at: (day: number, hour: number) => Measured): Measurements {
  const rows = Array.from({ length: count * PER_DAY }, (_, i) => from * PER_DAY + i);
  const table = emptyMeasurements(
    1,
    'histograms',
    rows.map((row) => BigInt(row) * 300_000_000_000n),
  );
  for (const [i, row] of rows.entries()) {
    const { times = 1, errors = 0 } = at(Math.floor(row / PER_DAY), (24 * (row % PER_DAY)) / PER_DAY);
    const latency = 100 * times * (1 + 0.02 * Math.sin(1.7 * row));
    [table.p50[i], table.p95[i], table.p99[i]] = [0.5 * latency, 0.9 * latency, latency];
    [table.error_rate[i], table.throughput[i], table.requests[i]] = [errors, 10, 3000];
  }
  return table;
}

/** A batch from two to three o'clock, not always at the same minute. */
const isNightly = (day: number, hour: number): boolean => hour >= 2 + 0.1 * (day % 3) && hour < 3 + 0.1 * (day % 3);
const nightly = (day: number, hour: number): Measured => ({ times: isNightly(day, hour) ? 3 : 1 });
const onsets = (measured: Measurements, normal?: Measurements) =>
  findImpacts(measured, options, normal).map(({ onset_ns }) => Number(onset_ns / 3_600_000_000_000n));

test('what is as slow at the same time of other days is no impact', () => {
  expect(onsets(days(0, 4, nightly))).toEqual([]);
});

test('what is usual at its hour is stated as a warning, for the services that were chosen', () => {
  const found = [findAllImpacts(days(0, 4, nightly), options)];
  const names = new Map([[1, 'reports']]);
  expect(usualHourWarnings(found, names, new Set([1])).map(warningText)).toEqual([
    'reports was slow or had few requests 4 times, the last time from 1970-01-04T02:00:00.000Z on, as at that hour of most days: not listed as an incident; specify service and time to investigate it',
  ]);
  expect(usualHourWarnings(found, names, new Set())).toEqual([]);
  expect(usualHourWarnings([findAllImpacts(days(0, 2, nightly), options)], names, new Set([1]))).toEqual([]);
});

test('of two days none shows what is usual; two normal days of another date do', () => {
  expect(onsets(days(0, 2, nightly))).toHaveLength(2);
  expect(onsets(days(40, 1, nightly), days(0, 2, nightly))).toEqual([]);
  expect(
    onsets(
      days(40, 1, nightly),
      days(0, 2, () => ({})),
    ),
  ).toHaveLength(1);
});

test('another hour, a worse night and failed requests are impacts', () => {
  const atNoon = (day: number, hour: number): Measured =>
    day === 3 && hour >= 12 && hour < 13 ? { times: 3 } : nightly(day, hour);
  expect(onsets(days(0, 4, atNoon))).toEqual([3 * 24 + 12]);
  const worse = (day: number, hour: number): Measured => ({ times: isNightly(day, hour) ? (day === 2 ? 8 : 3) : 1 });
  expect(onsets(days(0, 4, worse))).toEqual([2 * 24 + 2]);
  const failing = (day: number, hour: number): Measured => ({ errors: isNightly(day, hour) ? 20 : 0 });
  expect(onsets(days(0, 4, failing))).toHaveLength(4);
});
