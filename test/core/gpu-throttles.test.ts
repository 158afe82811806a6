import { expect, test } from 'vitest';
import type { ThrottleState } from '../../src/core/report/telemetry.ts';
import { rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { queries } from '../../src/core/store/queries/index.ts';
import { appendEdge, appendSample } from '../../src/model/rows/records.ts';
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
    sw: 10,
    hw: 20,
  });
});

/** NVML's table: which of the sums a bit is in, and which of the states it sets. */
const none = { power: 0, thermal: 0, brake: 0, sw: 0, hw: 0 };
const bits = [
  ['idle', 0x1, none, []],
  ['applications clocks setting', 0x2, { ...none, sw: 10 }, ['sw']],
  ['software power cap', 0x4, { ...none, power: 10, sw: 10 }, ['power', 'sw']],
  ['hardware slowdown', 0x8, { ...none, hw: 10 }, ['hw']],
  ['sync boost', 0x10, { ...none, sw: 10 }, ['sw']],
  ['software thermal slowdown', 0x20, { ...none, thermal: 10, sw: 10 }, ['sw', 'thermal']],
  ['hardware thermal slowdown', 0x40, { ...none, thermal: 10, hw: 10 }, ['hw', 'thermal']],
  ['power brake', 0x80, { ...none, brake: 10, hw: 10 }, ['hw', 'power']],
  ['display clock setting', 0x100, { ...none, sw: 10 }, ['sw']],
  ['a bit without a name', 0x400, { ...none, hw: 10 }, ['hw']],
  ['one above 32 bits', 2 ** 40, { ...none, hw: 10 }, ['hw']],
  ['the highest', 2 ** 62, { ...none, hw: 10 }, ['hw']],
] as const;

test.each(bits)('%s', async (_, bit, sums, states) => {
  const metric = 'hw.gpu.clocks_event_reasons';
  expect(await throttledShare({ metric, values: [0, bit, 0] })).toEqual(sums);
  const session = await recordedCase(({ builder }) => {
    const uuid = 'GPU-11111111-2222-3333-4444-555555555555';
    const entity = builder.entity('gpu', uuid, [
      { kind: 'gpu_uuid', name: uuid },
      { kind: 'gpu_index', name: 'node-3/gpu2' },
    ]);
    const server = builder.entity('server', 'node-3');
    appendEdge(builder, { from: server, kind: 'contains', to: entity, provenance: 'test' });
    for (const [at, value] of [0, bit].entries())
      appendSample(builder, { metric, entity, time_ns: atSecond(at * 10), value });
  });
  const rows = rowsOf<ThrottleState>(await session.query(queries.gpuThrottledNow));
  expect(rows.filter(({ is_active }) => is_active).map(({ reason }) => reason)).toEqual(states);
  expect(rows.map(({ reason, gpu_uuid, gpu_index, host_name }) => [reason, gpu_uuid, gpu_index, host_name])).toEqual(
    ['hw', 'power', 'sw', 'thermal'].map((reason) => [
      reason,
      'GPU-11111111-2222-3333-4444-555555555555',
      '2',
      'node-3',
    ]),
  );
});

test('states that an agent made of the mask are the same sums; old ones are not known any more', async () => {
  const values = [0, 1, 1, 0];
  expect(await throttledShare({ metric: 'gpu.throttle.thermal_active', values })).toEqual({ thermal: 20 });
  const session = await recordedCase(({ builder }) => {
    const sample = (name: string, reason: 'sw' | 'hw', second: number, value: number) =>
      appendSample(builder, {
        metric: `gpu.throttle.${reason}_active`,
        entity: builder.entity('gpu', name),
        time_ns: atSecond(second),
        value,
      });
    sample('a', 'sw', 0, 1);
    sample('b', 'hw', 1000, 1);
    sample('b', 'sw', 1000, 0);
  });
  const rows = rowsOf<ThrottleState>(await session.query(queries.gpuThrottledNow));
  expect(rows.map(({ gpu, reason, is_active, gpu_uuid }) => [gpu, reason, is_active, gpu_uuid])).toEqual([
    ['b', 'hw', true, null],
    ['b', 'sw', false, null],
  ]);
});

test('hw: it is unknown for a GPU with counters only', async () => {
  expect(await throttledShare({ metric: 'hw.gpu.throttle.brake', values: [0, 1] })).toEqual({ brake: 1 });
});
