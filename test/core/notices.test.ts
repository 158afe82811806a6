import { expect, test } from 'vitest';
import { findNotices } from '../../src/core/analysis/notices/notices.ts';
import { trendOf } from '../../src/core/analysis/notices/trend.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { createRandom } from '../../src/main/demo/random.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { MetricName } from '../../src/model/telemetry/metric.ts';
import { atSecond, recordedCase } from '../support/software-case.ts';

interface Series {
  readonly kind: EntityKind;
  readonly metric: MetricName;
  readonly attributes?: Readonly<Record<string, number>>;
  readonly step?: number;
  /** By the seconds since the recording began. */
  value(at_s: number): number;
}
const LENGTH_S = 3600;

async function noticesOf(series: Readonly<Record<string, Series>>, at_s = LENGTH_S) {
  const session = await recordedCase(({ builder }) => {
    for (const [name, { kind, metric, attributes, step = 1, value }] of Object.entries(series))
      for (let at = 0; at <= LENGTH_S; at += step)
        appendSample(builder, {
          metric,
          entity: builder.entity(kind, name),
          time_ns: atSecond(at),
          value: value(at),
          ...(attributes ? { attributes } : {}),
        });
  });
  return findNotices(createReader(session), atSecond(at_s));
}

/** Noise that remembers itself for some twenty seconds, as heat and load do. */
function noise(seed: number, size: number): () => number {
  const random = createRandom(seed);
  let last = 0;
  return () => {
    last = 0.95 * last + Math.sqrt(1 - 0.95 ** 2) * random.normal();
    return size * last;
  };
}

test('metrics that rise towards their limit have notices with the remaining time, soonest first', async () => {
  const shake = noise(1, 0.1);
  const found = await noticesOf({
    rack: {
      kind: 'pdu',
      metric: 'hw.temperature',
      attributes: { upper_warning: 40, upper_critical: 45 },
      step: 5,
      // 34 degrees at the end, two more each five minutes: forty in a quarter of an hour.
      value: (at) => 34 - ((LENGTH_S - at) * 2) / 300 + shake(),
    },
    battery: {
      kind: 'ups',
      metric: 'hw.battery.charge',
      step: 10,
      value: (at) => (at < 3000 ? 100 : 100 - (at - 3000) / 12),
    },
    steady: { kind: 'pdu', metric: 'hw.temperature', attributes: { upper_warning: 40 }, value: () => 39.8 },
  });
  expect(found.map(({ entity_id, limit, limit_name }) => [entity_id, limit, limit_name])).toEqual([
    ['battery', 0, 'empty'],
    ['rack', 40, 'its upper warning limit'],
  ]);
  const [battery, rack] = found;
  expect(battery?.breach_s).toBeCloseTo(600, -2);
  expect(rack?.breach_s).toBeGreaterThan(750);
  expect(rack?.breach_s).toBeLessThan(1050);
  expect(rack?.earliest_s).toBeLessThan(rack?.breach_s ?? 0);
  expect(rack?.latest_s ?? Number.POSITIVE_INFINITY).toBeGreaterThan(rack?.breach_s ?? 0);
});

test('a battery with runtime in whole minutes has a notice from its trend, not from its own estimate', async () => {
  const promised = (at: number) => (at < 3000 ? 1800 : 1800 - 1.5 * (at - 3000));
  const found = await noticesOf({
    // RFC 1628 upsEstimatedMinutesRemaining: half as long again is gone as has passed.
    battery: {
      kind: 'ups',
      metric: 'hw.battery.time_left',
      step: 10,
      value: (at) => 60 * Math.floor(promised(at) / 60),
    },
    charging: { kind: 'ups', metric: 'hw.battery.time_left', step: 10, value: (at) => 60 * Math.floor(at / 120) },
    resting: { kind: 'ups', metric: 'hw.battery.time_left', step: 10, value: () => 1800 },
  });
  expect(found.map(({ entity_id, limit, limit_name }) => [entity_id, limit, limit_name])).toEqual([
    ['battery', 0, 'the end of its runtime'],
  ]);
  const [battery] = found;
  expect(battery?.breach_s).toBeGreaterThan(500);
  expect(battery?.breach_s).toBeLessThan(700);
  expect(battery?.earliest_s).toBeLessThanOrEqual(600);
});

test('a budget that another metric states counts for what feeds, not for a GPU that works at its cap', async () => {
  const rising = (at: number) => 600 + (at / LENGTH_S) * 390;
  const of = (kind: EntityKind) => ({
    power: { kind, metric: 'hw.power', value: rising } as const,
  });
  const capacity = (kind: EntityKind) => ({ kind, metric: 'hw.power.capacity', value: () => 1000 }) as const;
  const both = async (kind: EntityKind) => {
    const session = await recordedCase(({ builder }) => {
      const entity = builder.entity(kind, 'it');
      for (let at = 0; at <= LENGTH_S; at += 5)
        for (const { metric, value } of [of(kind).power, capacity(kind)])
          appendSample(builder, { metric, entity, time_ns: atSecond(at), value: value(at) });
    });
    return findNotices(createReader(session), atSecond(LENGTH_S));
  };
  expect((await both('pdu')).map(({ limit_name }) => limit_name)).toEqual(['its capacity']);
  expect(await both('gpu')).toEqual([]);
});

test('no notice for fluctuating load, noise, crossed limits, or before the trend', async () => {
  const [one, other] = [noise(3, 2), noise(4, 1)];
  const limited = { kind: 'server', metric: 'hw.temperature', attributes: { upper_critical: 60 } } as const;
  const quiet = {
    waves: { ...limited, value: (at: number) => 40 + 4 * Math.sin((2 * Math.PI * at) / 600) + other() },
    noise: { ...limited, value: () => 45 + one() },
    beyond: { ...limited, value: (at: number) => 61 + at / 300 },
    away: { ...limited, value: (at: number) => 55 - at / 300 },
    unlimited: { kind: 'server', metric: 'hw.temperature', value: (at: number) => 20 + at / 60 },
    late: { ...limited, value: (at: number) => (at < 3500 ? 40 : 40 + (at - 3500) / 10) },
  } as const;
  for (const at of [1200, 1350, 1500, 2000, 3000]) expect(await noticesOf(quiet, at)).toEqual([]);
  expect((await noticesOf(quiet)).map(({ entity_id }) => entity_id)).toEqual(['late']);
});

test('a line through noise is found, and in nineteen of twenty cases its slope lies within the interval', () => {
  const random = createRandom(11);
  let shown = 0;
  const RUNS = 400;
  for (let run = 0; run < RUNS; run++) {
    const at = Array.from({ length: 12 }, (_, i) => -110 + 10 * i);
    const trend = trendOf(
      at,
      at.map((second) => 5 + 0.02 * second + random.normal()),
    );
    if (trend && trend.slope_low_per_s <= 0.02 && trend.slope_high_per_s >= 0.02) shown++;
  }
  expect(shown / RUNS).toBeGreaterThan(0.92);
  expect(trendOf([0, 1, 2], [0, 1, 2])).toBeNull();
});
