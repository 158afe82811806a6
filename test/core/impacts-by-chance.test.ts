import { expect, test } from 'vitest';
import { findImpacts } from '../../src/core/analysis/impact/impact.ts';
import { emptyMeasurements, type Measurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { random } from '../support/random.ts';

const MINUTES = 120;
const options = correlateOptionsSchema.parse({});

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
    const quantile = (share: number) => durations[Math.min(requests - 1, Math.floor(share * requests))]!;
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

test('almost none of two hundred healthy services with few requests has an impact', () => {
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

/** Half of the requests take a tenth of a second and half `slow` milliseconds; a minute has forty, of which by chance more or fewer are slow. */
function mixedService(seed: number, slower: (minute: number) => number = () => 1, slow = 2000): Measurements {
  const next = random(seed);
  const times = Array.from({ length: MINUTES }, (_, minute) => BigInt(minute) * 60_000_000_000n);
  const measured = emptyMeasurements(1, 'spans', times);
  for (let minute = 0; minute < MINUTES; minute++) {
    const durations = Array.from({ length: 40 }, () => (next() < 0.5 ? 100 : slow) * (0.5 + next()) * slower(minute));
    durations.sort((a, b) => a - b);
    const quantile = (share: number) => durations[Math.floor(share * 40)]!;
    measured.p30[minute] = quantile(0.3);
    measured.p50[minute] = quantile(0.5);
    measured.p70[minute] = quantile(0.7);
    measured.p95[minute] = quantile(0.95);
    measured.p99[minute] = quantile(0.99);
    measured.error_rate[minute] = 0;
    measured.throughput[minute] = 40 / 60;
    measured.requests[minute] = 40;
  }
  return measured;
}

test('a shifting mix of quick and slow requests is no impact; where both kinds are slower it is one', () => {
  for (const slow of [2000, 400]) {
    const found = seeds.flatMap((seed) => findImpacts(mixedService(seed, undefined, slow), options));
    expect(found.length).toBeLessThanOrEqual(4);
  }
  const slower = (minute: number) => (minute >= 80 && minute < 95 ? 3 : 1);
  const seen = seeds.filter((seed) => findImpacts(mixedService(seed, slower), options).length > 0);
  expect(seen.length).toBeGreaterThanOrEqual(190);
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

test('three slow minutes in a row are an impact after ten normal ones, and none after two', () => {
  expect(findImpacts(slowedMinutes(10), options)).toHaveLength(1);
  expect(findImpacts(slowedMinutes(2), options)).toEqual([]);
});

/** Three requests a minute by chance; `isAway`: minutes without any. */
function rarelyAsked(seed: number, isAway: (minute: number) => boolean): Measurements {
  const next = random(seed);
  const times = Array.from({ length: 60 }, (_, minute) => BigInt(minute) * 60_000_000_000n);
  const measured = emptyMeasurements(1, 'spans', times);
  for (let minute = 0; minute < times.length; minute++) {
    const requests = isAway(minute) ? 0 : Array.from({ length: 30 }, next).filter((chance) => chance < 0.1).length;
    measured.requests[minute] = requests;
    measured.throughput[minute] = requests / 60;
    measured.error_rate[minute] = 0;
    for (const field of ['p30', 'p50', 'p70', 'p95', 'p99'] as const)
      measured[field][minute] = requests === 0 ? Number.NaN : 10 + next();
  }
  return measured;
}

test('eight minutes without a request are an impact of a service that has three a minute', () => {
  const calm = seeds.flatMap((seed) =>
    findImpacts(
      rarelyAsked(seed, () => false),
      options,
    ),
  );
  expect(calm.length).toBeLessThanOrEqual(4);
  const isAway = (minute: number) => minute >= 30 && minute < 38;
  const seen = seeds.filter((seed) => findImpacts(rarelyAsked(seed, isAway), options).length > 0);
  expect(seen.length).toBeGreaterThanOrEqual(190);
});

interface Minute {
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly errors?: number;
  readonly rate?: number;
}

/** Two hours by the minute, as gauges of `rate` requests a second or as spans that are counted; `at` changes single minutes. */
function byMinute(
  from: 'gauges' | 'spans',
  { rate, at }: { readonly rate: number; readonly at: (minute: number) => Minute },
): Measurements {
  const next = random(7);
  const times = Array.from({ length: MINUTES }, (_, minute) => BigInt(minute) * 60_000_000_000n);
  const measured = emptyMeasurements(1, from, times);
  for (let minute = 0; minute < MINUTES; minute++) {
    const reported = at(minute);
    const wobble = 0.98 + 0.04 * next();
    measured.p50[minute] = (reported.p50 ?? 100) * wobble;
    measured.p95[minute] = (reported.p95 ?? 200) * wobble;
    measured.p99[minute] = (reported.p99 ?? 300) * wobble;
    measured.error_rate[minute] = reported.errors ?? 0;
    measured.throughput[minute] = (reported.rate ?? rate) * wobble;
    measured.requests[minute] = (reported.rate ?? rate) * wobble * 60;
  }
  return measured;
}

const between = (from: number, to: number, reported: Minute) => (minute: number) =>
  minute >= from && minute < to ? reported : {};
const windowsOf = (measured: Measurements) => findImpacts(measured, options).map(({ first, last }) => [first, last]);

test('a failed request among thirty is chance, one in ten of them for some minutes is not', () => {
  const one = between(60, 61, { errors: 3.3 });
  expect(windowsOf(byMinute('gauges', { rate: 0.5, at: one }))).toEqual([]);
  expect(windowsOf(byMinute('spans', { rate: 0.5, at: one }))).toEqual([]);
  const many = between(60, 64, { errors: 10 });
  expect(windowsOf(byMinute('gauges', { rate: 0.5, at: many }))).toEqual([[60, 63]]);
  expect(windowsOf(byMinute('spans', { rate: 0.5, at: many }))).toEqual([[60, 63]]);
});

test('failures of a service with a million requests a minute are detected like others', () => {
  const failing = between(60, 62, { errors: 3 });
  expect(windowsOf(byMinute('spans', { rate: 20_000, at: failing }))).toEqual([[60, 61]]);
});

test('requests that stay away are missed where they are more than chance keeps away', () => {
  const away = between(60, 63, { rate: 0 });
  expect(windowsOf(byMinute('spans', { rate: 1, at: away }))).toEqual([[60, 62]]);
  // Three requests a minute: one minute without any is nothing, ten of them are.
  expect(windowsOf(byMinute('spans', { rate: 0.05, at: between(60, 61, { rate: 0 }) }))).toEqual([]);
  expect(windowsOf(byMinute('spans', { rate: 0.05, at: between(60, 70, { rate: 0 }) }))).toHaveLength(1);
});

test('a lasting slowdown of only the slowest requests is detected, with any quantile', () => {
  const slow = (minutes: number) => byMinute('spans', { rate: 50, at: between(60, 60 + minutes, { p95: 380 }) });
  expect(windowsOf(slow(6))).toEqual([[60, 65]]);
  expect(windowsOf(slow(3))).toEqual([[60, 62]]);
  expect(windowsOf(slow(2))).toEqual([]);
  const mild = (minutes: number) => byMinute('spans', { rate: 50, at: between(60, 60 + minutes, { p95: 260 }) });
  expect(windowsOf(mild(5))).toEqual([[60, 64]]);
  expect(windowsOf(mild(3))).toEqual([]);
});

test('with few requests, occasionally slow minutes are detected if many are consecutive', () => {
  // One minute in nine has a slow request; while it lasts every minute has.
  const slowed = (minutes: number) =>
    byMinute('spans', {
      rate: 0.5,
      at: (minute) => ({ p99: minute >= 80 && minute < 80 + minutes ? 480 : minute % 9 === 5 ? 560 : 300 }),
    });
  expect(windowsOf(slowed(8))).toEqual([[80, 87]]);
  expect(windowsOf(slowed(2))).toEqual([]);
});

test('services measured every five minutes rarely have impacts from their typical variation', () => {
  const windows = seeds.slice(0, 40).flatMap((seed) => {
    const next = random(seed);
    const measured = byMinute('gauges', { rate: 10, at: () => ({ p99: 200 + 450 * next() ** 2 }) });
    return windowsOf({ ...measured, time_ns: measured.time_ns.map((time) => 5n * time) });
  });
  // Four hundred hours; without a look at what is usual there were 478.
  expect(windows.length).toBeLessThanOrEqual(150);
});

test('does not report low throughput of periodically idle services repeatedly; reports a new kind', () => {
  const inBursts = byMinute('spans', { rate: 1, at: (minute) => (minute % 4 === 0 ? { rate: 0.02 } : {}) });
  expect(windowsOf(inBursts).length).toBeLessThanOrEqual(3);
  const flapping = byMinute('spans', {
    rate: 1,
    at: (minute) => (minute >= 80 && minute % 4 === 0 ? { rate: 0.02 } : {}),
  });
  expect(windowsOf(flapping).length).toBeGreaterThanOrEqual(3);
});

/** Quick and slow requests, of which the slow ones fail from a minute on. */
function failingFast(from: number): Measurements {
  const next = random(7);
  const measured = emptyMeasurements(
    1,
    'spans',
    Array.from({ length: MINUTES }, (_, minute) => BigInt(minute) * 60_000_000_000n),
  );
  for (let minute = 0; minute < MINUTES; minute++) {
    const isFailing = minute >= from;
    measured.p30[minute] = 40 + next();
    measured.p50[minute] = 50 + next();
    measured.p95[minute] = (isFailing ? 90 : 4000) * (0.95 + 0.1 * next());
    measured.p99[minute] = (isFailing ? 110 : 5000) * (0.95 + 0.1 * next());
    measured.error_rate[minute] = isFailing ? 19 + next() : 0;
    measured.throughput[minute] = 10;
    measured.requests[minute] = 600;
  }
  return measured;
}

test('a service whose slow requests fail is impacted while they fail, not while they were served', () => {
  const minute = 60_000_000_000n;
  const found = findImpacts(failingFast(50), options);
  expect(found.map(({ onset_ns, end_ns }) => [onset_ns / minute, end_ns / minute])).toEqual([[50n, 119n]]);
  expect(found[0]!.baseline.p99).toBeGreaterThan(4000);
});

test('a service that is being started has no impact, one that stops has', () => {
  const measured = failingFast(MINUTES);
  const rates = (of: (minute: number) => number): Measurements => ({
    ...measured,
    throughput: measured.throughput.map((_, minute) => of(minute)),
    requests: measured.requests.map((_, minute) => 60 * of(minute)),
  });
  expect(
    findImpacts(
      rates((minute) => (minute < 3 ? 2 : 12)),
      options,
    ),
  ).toEqual([]);
  expect(
    findImpacts(
      rates((minute) => (minute >= 60 && minute < 66 ? 2 : 12)),
      options,
    ),
  ).toHaveLength(1);
});
