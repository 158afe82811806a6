import { expect, test } from 'vitest';
import { findImpacts } from '../../src/core/analysis/impact/impact.ts';
import { emptyMeasurements, type Measurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';

const options = correlateOptionsSchema.parse({});

interface Measured {
  readonly latency?: number;
  readonly errors?: number;
}

/** Every ten seconds, 500 requests unless said otherwise; latencies within 2 % of what is asked. */
function measure(count: number, at: (i: number) => Measured, requests = 500): Measurements {
  const table = emptyMeasurements(
    1,
    'histograms',
    Array.from({ length: count }, (_, i) => BigInt(i) * 10_000_000_000n),
  );
  for (let i = 0; i < count; i++) {
    const { latency = 100, errors = 0 } = at(i);
    const wobble = 1 + 0.02 * Math.sin(1.7 * i);
    table.p50[i] = 0.5 * latency * wobble;
    table.p95[i] = 0.9 * latency * wobble;
    table.p99[i] = latency * wobble;
    table.error_rate[i] = errors;
    table.throughput[i] = requests / 10;
    table.requests[i] = requests;
  }
  return table;
}

test('pauses at regular intervals are how a job works; what is longer is an impact', () => {
  const pauses = (i: number) => (i % 55 === 40 ? 3 : 1);
  expect(
    findImpacts(
      measure(330, (i) => ({ latency: 100 * pauses(i) })),
      options,
    ),
  ).toEqual([]);
  const found = findImpacts(
    measure(330, (i) => ({ latency: 100 * (i >= 200 && i < 225 ? 3 : pauses(i)) })),
    options,
  );
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ onset_ns: 2_000_000_000_000n, end_ns: 2_240_000_000_000n });
});

/** A job that does one step each second, but for stops of `length_s` from each of these seconds on; rows of 30 s. */
function stepsOf(count: number, stops: readonly (readonly [from_s: number, length_s: number])[]): Measurements {
  const table = measure(count, () => ({}), 30);
  const throughput = table.throughput.map((_, i) => {
    const [begin, end] = [30 * (i - 1), 30 * i];
    const stopped = stops.reduce(
      (sum, [from, length]) => sum + Math.max(0, Math.min(end, from + length) - Math.max(begin, from)),
      0,
    );
    return (30 - stopped) / 30 + 0.005 * Math.sin(1.7 * i);
  });
  const time_ns = table.time_ns.map((time) => 3n * time);
  return { ...table, from: 'gauges', time_ns, throughput, requests: throughput.map((rate) => 30 * rate) };
}

test('a checkpoint that falls into two measurements is a regular pause like the others', () => {
  const checkpoints = [480, 1050, 1620, 2190].map((from) => [from + 0.6, 17] as const);
  const straddling = checkpoints.map(([from, length], i) => [i === 2 ? from + 22 : from, length] as const);
  expect(findImpacts(stepsOf(89, straddling), options)).toEqual([]);
  const longer = findImpacts(stepsOf(89, [...straddling, [1200, 55]]), options);
  expect(longer).toHaveLength(1);
  expect(longer[0]?.end_ns).toBe(1_260_000_000_000n);
  const failing = stepsOf(89, straddling);
  failing.error_rate[17] = 40;
  expect(findImpacts(failing, options)).toHaveLength(1);
});

test('pauses of which no two are alike have no rhythm, and stay impacts', () => {
  const pauses = [
    [480, 17],
    [1050, 38],
    [1620, 85],
  ] as const;
  expect(findImpacts(stepsOf(89, pauses), options).length).toBeGreaterThan(0);
});

test('three short impacts out of step are impacts', () => {
  const slow = new Set([60, 101, 190]);
  expect(
    findImpacts(
      measure(330, (i) => ({ latency: slow.has(i) ? 300 : 100 })),
      options,
    ),
  ).toHaveLength(3);
});

test('load that grows over hours is no impact, a step of the same size is one', () => {
  const drift = measure(400, (i) => ({ latency: 100 * (1 + i / 800) }));
  expect(findImpacts(drift, options)).toEqual([]);
  const step = findImpacts(
    measure(400, (i) => ({ latency: i >= 250 && i < 340 ? 145 : 100 })),
    options,
  );
  expect(step).toHaveLength(1);
  expect(step[0]?.onset_ns).toBe(2_500_000_000_000n);
});

test('what is refused at once is fast, and no baseline: most of the recording may be the outage', () => {
  const found = findImpacts(
    measure(200, (i) => (i >= 60 ? { latency: 3, errors: 100 } : { latency: 900 })),
    options,
  );
  expect(found).toHaveLength(1);
  expect(found[0]?.onset_ns).toBe(600_000_000_000n);
  expect(found[0]?.baseline.p99).toBeGreaterThan(800);
});

test('the normal error rate has no part of the outage, however few requests a measurement has', () => {
  const [window] = findImpacts(
    measure(60, (i) => ({ errors: i >= 30 ? 100 : i % 10 === 3 ? 4 : 0 }), 25),
    options,
  );
  expect(window?.baseline.error_rate).toBeLessThan(1);
  expect(window?.onset_ns).toBe(300_000_000_000n);
});
