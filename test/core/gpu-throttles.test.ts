import { expect, test } from 'vitest';
import { rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { queries } from '../../src/core/store/queries/index.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { MetricName } from '../../src/model/telemetry/metric.ts';
import { atSecond, recordedCase } from '../support/software-case.ts';

interface ThrottleSeries {
  readonly metric: MetricName;
  readonly values: readonly number[];
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Seconds by reason of one GPU whose series have a value every ten seconds. */
async function throttledShare(...series: readonly ThrottleSeries[]): Promise<Record<string, number>> {
  const session = await recordedCase(({ builder }) => {
    const entity = builder.entity('gpu', 'g');
    for (const { metric, values, attributes = {} } of series)
      for (const [at, value] of values.entries())
        appendSample(builder, { metric, entity, time_ns: atSecond(at * 10), value, attributes });
  });
  const rows = rowsOf<{ reason: string; seconds: number }>(await session.query(queries.gpuThrottles));
  return Object.fromEntries(rows.map(({ reason, seconds }) => [reason, seconds]));
}

test('counters of one reason are separate: two constant ones are no time', async () => {
  const metric = 'hw.gpu.throttle.thermal';
  const still = { metric, attributes: { by: 'software' }, values: [5000, 5000, 5000] } as const;
  const hardware = { metric, attributes: { by: 'hardware' } } as const;
  expect(await throttledShare(still, { ...hardware, values: [3, 3, 3] })).toEqual({ thermal: 0 });
  expect(await throttledShare(still, { ...hardware, values: [3, 7, 9] })).toEqual({ thermal: 6 });
});

test('a counter that falls began anew, and what it grew before is kept', async () => {
  expect(await throttledShare({ metric: 'hw.gpu.throttle.power', values: [100, 104, 1, 3] })).toEqual({ power: 6 });
});

test('bits of the mask count where there is no counter, and once if two data sources report one GPU', async () => {
  const mask = { metric: 'hw.gpu.clocks_event_reasons', values: [0, 0x80, 0x84, 0] } as const;
  const power = { metric: 'hw.gpu.throttle.power', values: [1, 1, 4, 4] } as const;
  expect(await throttledShare(mask, { ...mask, attributes: { by: 'dcgm' } }, power)).toEqual({
    power: 3,
    thermal: 0,
    brake: 20,
    hw: 0,
  });
});

test.each([
  ['hardware slowdown', 0x8],
  ['a bit without a name', 0x400],
  ['one above 32 bits', 2 ** 40],
  ['the highest', 2 ** 62],
])('hw: %s', async (_, bit) => {
  const metric = 'hw.gpu.clocks_event_reasons';
  expect(await throttledShare({ metric, values: [0, bit, 0, 0x1f7, 0] })).toEqual({
    power: 10,
    thermal: 10,
    brake: 10,
    hw: 10,
  });
});

test('hw: it is unknown for a GPU with counters only', async () => {
  expect(await throttledShare({ metric: 'hw.gpu.throttle.brake', values: [0, 1] })).toEqual({ brake: 1 });
});
