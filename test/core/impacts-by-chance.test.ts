import { expect, test } from 'vitest';
import { findImpacts } from '../../src/core/analysis/impact.ts';
import { emptyMeasurements, type Measurements } from '../../src/core/analysis/measurement-table.ts';
import { correlateOptionsSchema } from '../../src/model/incident.ts';

const MINUTES = 120;
const options = correlateOptionsSchema.parse({});

/** Mulberry32: the same numbers for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A service of about ten requests a minute, each as long as the product of three dice: many short, few very long. */
function quietService(seed: number, slower: (minute: number) => number = () => 1): Measurements {
  const next = random(seed);
  const times = Array.from({ length: MINUTES }, (_, minute) => BigInt(minute) * 60_000_000_000n);
  const measured = emptyMeasurements(1, 'spans', times);
  for (let minute = 0; minute < MINUTES; minute++) {
    // Sixty chances of one in six.
    const requests = Array.from({ length: 60 }, next).filter((chance) => chance < 1 / 6).length || 1;
    const durations = Array.from({ length: requests }, () => 250 * next() * next() * next() * slower(minute)).sort(
      (a, b) => a - b,
    );
    const quantile = (share: number) => durations[Math.min(requests - 1, Math.floor(share * requests))] as number;
    measured.p50[minute] = quantile(0.5);
    measured.p95[minute] = quantile(0.95);
    measured.p99[minute] = quantile(0.99);
    measured.error_rate[minute] = 0;
    measured.throughput[minute] = requests / 60;
    measured.requests[minute] = requests;
  }
  return measured;
}

const seeds = Array.from({ length: 200 }, (_, i) => i + 1);

test('of two hundred services with few requests and nothing wrong, hardly one is told to be in trouble', () => {
  const found = seeds.flatMap((seed) => findImpacts(quietService(seed), options));
  expect(found.length).toBeLessThanOrEqual(4);
});

test('ten minutes in which such a service is six times slower are found', () => {
  const slower = (minute: number) => (minute >= 80 && minute < 90 ? 6 : 1);
  const found = seeds.filter((seed) =>
    findImpacts(quietService(seed, slower), options).some(
      ({ onset_ns, end_ns }) => onset_ns <= 85n * 60_000_000_000n && end_ns >= 83n * 60_000_000_000n,
    ),
  );
  expect(found.length).toBeGreaterThanOrEqual(190);
});

/** Measured once a minute: so many normal minutes, then three that are half as slow again and more. */
function slowedMinutes(normal: number): Measurements {
  const times = Array.from({ length: normal + 3 }, (_, minute) => BigInt(minute) * 60_000_000_000n);
  const measured = emptyMeasurements(1, 'gauges', times);
  for (let minute = 0; minute < times.length; minute++) {
    const factor = minute < normal ? 1 : 1.7;
    measured.p50[minute] = factor * 200;
    measured.p99[minute] = factor * (500 + (minute % 3));
    measured.error_rate[minute] = 0;
    measured.throughput[minute] = 100;
  }
  return measured;
}

test('three slow minutes in a row are an impact where ten tell what is normal, and none where two do', () => {
  expect(findImpacts(slowedMinutes(10), options)).toHaveLength(1);
  expect(findImpacts(slowedMinutes(2), options)).toEqual([]);
});
