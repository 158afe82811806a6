import { describe, expect, test } from 'vitest';
import { falseDiscoveryRates } from '../../src/core/analysis/differences/false-discovery.ts';
import { findDifferences } from '../../src/core/analysis/differences/find-differences.ts';
import { rankChance, rankTest } from '../../src/core/analysis/differences/number-test.ts';
import { comparePeers } from '../../src/core/analysis/differences/peer-differences.ts';
import { readLogIndex } from '../../src/core/analysis/logs/log-index.ts';
import { createReader, type PeerFact } from '../../src/core/store/facts/reader.ts';
import { regionSchema } from '../../src/model/contract/differences.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { normal, randomFrom } from '../support/clock-world.ts';
import { atSecond, every, recordedCase } from '../support/software-case.ts';

const MACHINES = 30;
const GPUS = 8;
const METRICS = 12;
const all = Array.from({ length: MACHINES * GPUS }, (_, gpu) => gpu);
const machineOf = (gpu: number): number => 1000 + Math.floor(gpu / GPUS);

const fact = (series_id: number, metric: string, entity: number, value: number, inside: boolean): PeerFact => ({
  ...{ series_id, metric, unit: '', attributes: '', reading: 'value', kind: 'gpu' },
  ...{ entity, value, inside },
});

/** Metrics of a fleet in which GPUs of one machine resemble each other, some of them skewed as counts and waits are. */
function fleet(seed: number, isInside: (gpu: number) => boolean): PeerFact[] {
  const random = randomFrom(seed);
  return Array.from({ length: METRICS }, (_, metric) => {
    const shared = metric % 3;
    const machine = Array.from({ length: MACHINES }, () => shared * normal(random));
    return all.map((gpu) => {
      const own = metric % 2 === 0 ? normal(random) : Math.exp(normal(random));
      const value = machine[Math.floor(gpu / GPUS)]! + own;
      return fact(metric * 1000 + gpu, `metric.${metric}`, gpu, value, isInside(gpu));
    });
  }).flat();
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = randomFrom(seed);
  return list
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

const some = (list: readonly number[], count: number, seed: number) => new Set(shuffled(list, seed).slice(0, count));

/** Which GPUs fall into a region that has nothing to do with what they measure. */
const regions: Readonly<Record<string, (seed: number) => (gpu: number) => boolean>> = {
  'of thirty GPUs anywhere': (seed) => {
    const sample = some(all, 30, seed);
    return (gpu) => sample.has(gpu);
  },
  'of six whole machines': (seed) => {
    const chosen = some([...Array(MACHINES).keys()], 6, seed);
    return (gpu) => chosen.has(Math.floor(gpu / GPUS));
  },
  'of one GPU of each of eight machines': (seed) => {
    const chosen = some([...Array(MACHINES).keys()], 8, seed);
    return (gpu) => chosen.has(Math.floor(gpu / GPUS)) && gpu % GPUS === seed % GPUS;
  },
};

describe('no differences between randomly selected entities', () => {
  test.each(Object.keys(regions))('%s: at q = 5 % in at most one of twenty of 40 regions', (name) => {
    const counts: number[] = [];
    for (let seed = 1; seed <= 40; seed++) {
      const { candidates, left_out } = comparePeers(
        fleet(seed, regions[name]?.(seed + 5000) ?? (() => false)),
        machineOf,
      );
      expect(left_out).toEqual([]);
      expect(candidates).toHaveLength(METRICS);
      if (falseDiscoveryRates(candidates.map(({ p }) => p)).some((q) => q <= 0.05)) counts.push(seed);
    }
    console.info(
      `regions ${name}: ${counts.length} of 40 have a reported difference, ${(counts.length / 0.4).toFixed(1)} %`,
    );
    expect(counts.length).toBeLessThanOrEqual(2);
  });

  test('eight GPUs of each of two machines are two, not sixteen', () => {
    const facts = all
      .slice(0, 10 * GPUS)
      .map((gpu) => fact(gpu, 'temperature', gpu, gpu < 2 * GPUS ? 80 + gpu / 100 : 50 + gpu / 100, gpu < 2 * GPUS));
    const { candidates } = comparePeers(facts, machineOf);
    // Two of ten by chance at one end: 2 / 45.
    expect(candidates[0]?.p).toBeCloseTo(2 / 45);
    expect(candidates[0]).toMatchObject({
      region: { rows: 16, groups: 2 },
      baseline: { rows: 64, groups: 8 },
      effect: 1,
    });
    expect(comparePeers(facts, (gpu) => gpu).candidates[0]?.p).toBeLessThan(1e-6);
  });
});

test('few values are ranked exactly, ties included, and as the approximation has it where they are more', () => {
  // Of all 35 choices of three of seven ranks one lies at either end.
  expect(rankTest([8, 9, 10], [1, 2, 3, 4]).p).toBeCloseTo(2 / 35);
  expect(rankTest([1, 2, 3, 4], [8, 9, 10])).toMatchObject({ ranks: 10, ties: 0, p: expect.closeTo(2 / 35) });
  // Of the six choices of two of 1, 2.5, 2.5, 4 those that sum to 3.5 or 6.5.
  expect(rankTest([1, 2], [2, 3])).toMatchObject({ ranks: 3.5, ties: 6, p: expect.closeTo(4 / 6) });
  expect(rankTest([5, 5], [5, 5, 5]).p).toBe(1);
  const random = randomFrom(8);
  const values = (count: number, shift: number) => Array.from({ length: count }, () => normal(random) + shift);
  const [some, others] = [values(18, 0.7), values(22, 0)];
  const { p, ...sums } = rankTest(some, others);
  expect(p).toBeGreaterThan(0.001);
  expect(rankChance(sums) / p).toBeCloseTo(1, 0);
});

test('untestable comparisons are reported: too few machines, no others', () => {
  const facts = all
    .slice(0, 4 * GPUS)
    .flatMap((gpu) => [
      fact(gpu, 'temperature', gpu, gpu, gpu < GPUS),
      ...(gpu < GPUS ? [fact(1000 + gpu, 'errors', gpu, gpu, true)] : []),
      ...(gpu > GPUS ? [fact(2000 + gpu, 'elsewhere', gpu, gpu, false)] : []),
    ]);
  expect(comparePeers(facts, machineOf)).toEqual({
    candidates: [],
    left_out: [
      { attribute: 'temperature of gpu', reason: 'too few for a rank test: 8 of 1 machine against 24 of 3 machines' },
      { attribute: 'errors of gpu', reason: 'no other gpu recorded it in this time' },
    ],
  });
});

test('series of one entity are separated by differing attributes, not by those that name the entity', () => {
  const facts = all.slice(0, 80).flatMap((gpu) =>
    ['busy', 'idle'].map((mode, at) => ({
      ...fact(gpu * 2 + at, 'seconds', gpu, mode === 'busy' && gpu < 20 ? 500 + gpu : gpu, gpu < 20),
      attributes: JSON.stringify({ uuid: `GPU-${gpu}`, mode }),
    })),
  );
  const { candidates } = comparePeers(facts, (gpu) => gpu);
  expect(candidates.map(({ value, effect }) => [value, effect])).toEqual([
    ['gpu (mode=busy)', 1],
    ['gpu (mode=idle)', -1],
  ]);
});

/** Fifteen machines of ten GPUs, sixty seconds; those of the first three machines have the specified temperature. */
function recordedFleet(hot: number): Promise<Session> {
  return recordedCase(({ builder }) => {
    const random = randomFrom(3);
    for (let gpu = 0; gpu < 150; gpu++) {
      const gpuEntity = builder.entity('gpu', `gpu-${gpu}`);
      builder.table('edge').push({
        from_entity: builder.entity('server', `server-${Math.floor(gpu / 10)}`),
        kind: builder.name('contains'),
        to_entity: gpuEntity,
        valid_from_ns: ALWAYS_FROM,
        valid_to_ns: ALWAYS_TO,
        provenance: builder.name('test'),
      });
      const series = (metric: string, unit: string, kind: 'gauge' | 'sum') =>
        builder.series({
          ...{ metric, unit, kind, entity: gpuEntity, resource: -1, description: '', attributes: `{"n":"${gpu}"}` },
          ...{ temporality: kind === 'sum' ? 2 : 0, monotonic: kind === 'sum' },
        });
      const [temperature, energy] = [series('temperature', 'Cel', 'gauge'), series('energy', 'J', 'sum')];
      const level = (gpu < 30 ? hot : 58) + normal(random);
      for (const second of every(5, 0, 60)) {
        const at = { start_ns: 0n, time_ns: atSecond(second) };
        builder.table('point').push({ series: temperature, ...at, value: level + normal(random) });
        // A counter begins anywhere; how fast it runs is what can be compared.
        builder.table('point').push({ series: energy, ...at, value: 1e6 * (gpu % 7) + second * (300 + (gpu % 5)) });
      }
    }
  });
}

async function comparedWithPeers(session: Session, entities: readonly string[]) {
  const reader = createReader(session);
  const region = regionSchema.parse({ start_ns: atSecond(10), end_ns: atSecond(60), entities });
  return findDifferences(reader, { region, baseline: { kind: 'beside' } }, () => readLogIndex(reader));
}

test('thirty GPUs that run hot are reported against the others of the same time', async () => {
  const hot = all.slice(0, 30).map((gpu) => `gpu:gpu-${gpu}`);
  const { differences, compared } = await comparedWithPeers(await recordedFleet(71), hot);
  const metrics = differences.filter(({ population }) => population === 'metrics');
  expect(metrics).toHaveLength(1);
  expect(metrics[0]).toMatchObject({
    ...{
      attribute: 'temperature',
      value: 'gpu',
      across: 'gpu',
      measure: 'number',
      unit: 'Cel',
      effect: 1,
      entity: null,
    },
    region: { rows: 30, groups: 3 },
    baseline: { rows: 120, groups: 12 },
  });
  expect(metrics[0]?.region.value).toBeCloseTo(71, 0);
  expect(metrics[0]?.baseline.value).toBeCloseTo(58, 0);
  expect(compared.find(({ population }) => population === 'metrics')).toMatchObject({ tested: 2 });
  const calm = await comparedWithPeers(await recordedFleet(58), hot);
  expect(calm.differences.filter(({ population }) => population === 'metrics')).toEqual([]);
});
