import { describe, expect, test } from 'vitest';
import { comparedGpus, fleetDifferences } from '../../src/core/analysis/gpus/fleet-differences.ts';
import type { FleetMetric } from '../../src/core/analysis/gpus/fleet-metric.ts';
import { normal, randomFrom } from '../support/clock-world.ts';

const BUCKETS = 120;
const GPUS = 64;
/** Eight works of eight GPUs each. */
const groups = Array.from({ length: 8 }, (_, work) => Array.from({ length: 8 }, (_gpu, at) => work * 8 + at));
const peersOf = (gpu: number): readonly number[] => groups[Math.floor(gpu / 8)] as readonly number[];

type Level = (gpu: number, at: number) => number;

/** A fleet in which works differ in level, all sway with the load of the day, and every sample is noisy. */
function fleet(seed: number, unit: string, more: Level = () => 0): FleetMetric {
  const random = randomFrom(seed);
  const noise = unit === 'W' ? 12 : 0.8;
  const own = Array.from({ length: GPUS }, (_, gpu) => 400 + 40 * Math.floor(gpu / 8) + 3 * normal(random));
  const values = new Float64Array(GPUS * BUCKETS);
  for (let gpu = 0; gpu < GPUS; gpu++)
    for (let at = 0; at < BUCKETS; at++)
      values[gpu * BUCKETS + at] = own[gpu]! + 30 * Math.sin(at / 20) + noise * normal(random) + more(gpu, at);
  return { metric: 'hw.power', unit, gpus: [...own.keys()], values, typical: Float64Array.from(own) };
}

const find = (metric: FleetMetric) => fleetDifferences([metric], BUCKETS, peersOf);

describe('a fleet in which nothing happens', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('has no differing GPU (seed %i)', (seed) => {
    expect(find(fleet(seed, 'W'))).toEqual([]);
    expect(find(fleet(seed, 'Cel'))).toEqual([]);
  });

  test('nor has one that slows down as a whole', () => {
    expect(find(fleet(9, 'W', (_, at) => (at > 60 ? -150 : 0)))).toEqual([]);
  });
});

describe('who can be compared', () => {
  const compared = (metric: FleetMetric) => [...comparedGpus([metric], BUCKETS, peersOf)];
  const only = (isAffected: (gpu: number, at: number) => boolean): FleetMetric => {
    const metric = fleet(3, 'W');
    const values = metric.values.map((value, i) =>
      isAffected(Math.floor(i / BUCKETS), i % BUCKETS) ? value : Number.NaN,
    );
    return { ...metric, values };
  };

  test('all of a fleet that is measured together; none of one whose GPUs were each measured at another time', () => {
    expect(compared(fleet(3, 'W'))).toHaveLength(GPUS);
    expect(compared(only((gpu, at) => at === gpu))).toEqual([]);
    expect(compared(only((_, at) => at < 2))).toEqual([]);
    expect(compared(only((_, at) => at < 3))).toHaveLength(GPUS);
  });

  test('not the one that was silent while its peers were measured', () => {
    expect(compared(only((gpu, at) => (gpu === 19) === at > 60))).toHaveLength(GPUS - 1);
    expect(compared(only((gpu) => gpu !== 19))).not.toContain(19);
  });
});

describe('who differs', () => {
  test('a throttled GPU is reported with its expected power and start', () => {
    const found = find(fleet(1, 'W', (gpu, at) => (gpu === 19 && at >= 40 ? -260 : 0)));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ gpus: [19], against: 'peers', others: 8, first: 40 });
    expect((found[0]?.typical ?? 0) - (found[0]?.value ?? 0)).toBeCloseTo(260, -2);
    expect(found[0]?.share).toBeCloseTo(80 / 120, 1);
  });

  test('GPUs of one work that are held down together are one line, though none differs from its peers', () => {
    const found = find(fleet(2, 'W', (gpu, at) => (gpu >= 16 && gpu < 24 && at >= 50 && at < 60 ? -200 : 0)));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ gpus: groups[2], against: 'fleet', first: 50 });
  });

  test('half of a workload that is slowed together is one line, with its GPUs', () => {
    const clocks = fleet(8, 'MHz');
    const values = clocks.values.map((_, i) => {
      const [gpu, at] = [Math.floor(i / BUCKETS), i % BUCKETS];
      return gpu % 16 < 8 && at >= 70 && at < 110 ? 594 : 1980;
    });
    const halves = { ...clocks, values, typical: clocks.typical.map(() => 1980) };
    const slowed = [...Array(GPUS).keys()].filter((gpu) => gpu % 16 < 8);
    const all = [...Array(GPUS).keys()];
    const found = fleetDifferences([halves], BUCKETS, () => all);
    expect(found).toMatchObject([{ gpus: slowed, against: 'fleet', value: 594, typical: 1980, first: 70 }]);
    const samples = (step: number) => Uint8Array.from(values, (_, i) => Number((i % BUCKETS) % step === 0));
    const judged = (step: number) =>
      fleetDifferences([{ ...halves, sampled: samples(step) }], BUCKETS, () => all).map(({ gpus }) => gpus.length);
    expect([judged(20), judged(60)]).toEqual([[slowed.length], []]);
    // Load divides power, too: that is no finding.
    expect(fleetDifferences([{ ...halves, unit: 'W' }], BUCKETS, () => all)).toEqual([]);
  });

  test('one sample that is valid for many buckets is one measurement, not a run', () => {
    const metric = fleet(1, 'W', (gpu, at) => (gpu === 19 && at >= 40 && at < 80 ? -260 : 0));
    const every = (step: number) => Uint8Array.from(metric.values, (_, i) => Number((i % BUCKETS) % step === 0));
    expect(find({ ...metric, sampled: every(10) }).map(({ gpus }) => gpus)).toEqual([[19]]);
    expect(find({ ...metric, sampled: every(30) })).toEqual([]);
    expect(comparedGpus([{ ...metric, sampled: every(60) }], BUCKETS, peersOf).size).toBe(0);
  });

  test('the furthest off stands first', () => {
    const found = find(fleet(3, 'W', (gpu, at) => (at < 30 ? 0 : gpu === 5 ? 130 : gpu === 42 ? 320 : 0)));
    expect(found.map(({ gpus }) => gpus[0])).toEqual([42, 5]);
  });

  test('short and small deviations are no difference', () => {
    expect(find(fleet(4, 'W', (gpu, at) => (gpu === 5 && at === 70 ? -300 : 0)))).toEqual([]);
    expect(find(fleet(5, 'W', (gpu) => (gpu === 5 ? 8 : 0)))).toEqual([]);
  });
});

describe('what is not known', () => {
  test('gaps are not compared, and a GPU without records does not differ', () => {
    const metric = fleet(6, 'W', (gpu, at) => (gpu === 7 || (gpu === 5 && at < 60) ? Number.NaN : 0));
    expect(find(metric)).toEqual([]);
  });

  test('with too few peers and no other workload there is no reference', () => {
    const { values, typical, ...rest } = fleet(7, 'W', (gpu, at) => (gpu === 1 && at > 40 ? -200 : 0));
    const few = { ...rest, gpus: [0, 1, 2, 3], values: values.slice(0, 4 * BUCKETS), typical: typical.slice(0, 4) };
    expect(fleetDifferences([few], BUCKETS, peersOf)).toEqual([]);
  });
});
