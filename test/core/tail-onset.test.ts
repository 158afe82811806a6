import { expect, test } from 'vitest';
import { findImpacts } from '../../src/core/analysis/impact/impact.ts';
import { emptyMeasurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { random } from '../support/random.ts';

const options = correlateOptionsSchema.parse({});
const INTERVAL_NS = 10_000_000_000n;
const INTERVALS = 180;
const ONSET = 120;

/** How many times as long requests take after the onset: by the intervals since, and whether it is one of the slow ones. */
type Shape = (since: number, dice: number) => number;

/** Half an hour of a service whose requests take 100 ms, log-normal: with a sigma of 0.4 the p99 is 2.5 times the median. */
function recorded(seed: number, requests: number, shape: Shape, sigma = 0.4) {
  const next = random(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const times = Array.from({ length: INTERVALS }, (_, i) => BigInt(i + 1) * INTERVAL_NS);
  const table = emptyMeasurements(1, 'spans', times);
  for (let i = 0; i < INTERVALS; i++) {
    const took = Array.from({ length: requests }, () => {
      const slower = i < ONSET ? 1 : shape(i - ONSET, next());
      return 100 * Math.exp(sigma * normal()) * slower;
    }).sort((a, b) => a - b);
    const quantile = (share: number) => took[Math.min(requests - 1, Math.floor(share * requests))]!;
    table.p30[i] = quantile(0.3);
    table.p50[i] = quantile(0.5);
    table.p70[i] = quantile(0.7);
    table.p95[i] = quantile(0.95);
    table.p99[i] = quantile(0.99);
    table.error_rate[i] = 0;
    table.throughput[i] = requests / 10;
    table.requests[i] = requests;
  }
  return table;
}

const shapes: Readonly<Record<string, Shape>> = {
  'all requests at once': () => 4,
  'a tenth of the requests': (_, dice) => (dice < 0.1 ? 6 : 1),
  'one in thirty': (_, dice) => (dice < 1 / 30 ? 8 : 1),
  'one in thirty, for two minutes': (since, dice) => (since < 12 && dice < 1 / 30 ? 8 : 1),
  'all requests, and back after two minutes': (since) => (since < 12 ? 4 : 1),
  'rising over a minute': (since) => 1 + 3 * Math.min(1, (since + 1) / 6),
};
const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

/** The first impact of each seed: intervals from the onset, NaN without one. */
const found = (shape: Shape, requests: number) =>
  seeds.map((seed) => (findImpacts(recorded(seed, requests, shape), options)[0]?.first ?? Number.NaN) - ONSET);

test.each(Object.keys(shapes))('a p99 of three times its baseline is found within one interval: %s', (name) => {
  const late = found(shapes[name]!, 200);
  expect(late.filter((intervals) => Math.abs(intervals) <= 1).length).toBeGreaterThanOrEqual(18);
});

test.each(['all requests at once', 'a tenth of the requests', 'rising over a minute'])(
  'with 60 requests in an interval, too: %s',
  (name) => {
    const late = found(shapes[name]!, 60);
    expect(late.filter((intervals) => Math.abs(intervals) <= 1).length).toBeGreaterThanOrEqual(18);
  },
);

/** One of four replicas, whose clocks heat pulls down for 40 s, then every 50 s a little, and later for a minute. */
const hotReplica: Shape = (since, dice) => {
  if (dice > 0.25) return 1;
  if (since < 4 || (since >= 45 && since < 51)) return 2.2;
  return since % 5 < 2 ? 1.7 : 1.1;
};

test('harm that comes and goes is dated by its first time, not by a longer one that follows', () => {
  const first = seeds.map((seed) => findImpacts(recorded(seed, 30, hotReplica, 0.2), options)[0]?.first ?? Number.NaN);
  expect(first.filter((at) => Math.abs(at - ONSET) <= 1).length).toBeGreaterThanOrEqual(18);
});

test('two slow requests in an interval, or none by chance, are found later', () => {
  const late = found(shapes['one in thirty']!, 60);
  expect(late.filter((intervals) => intervals >= -1).length).toBeGreaterThanOrEqual(18);
});

test('a service that does as before has no impact', () => {
  for (const requests of [60, 200])
    expect(
      seeds.flatMap((seed) =>
        findImpacts(
          recorded(seed, requests, () => 1),
          options,
        ),
      ),
    ).toEqual([]);
});
