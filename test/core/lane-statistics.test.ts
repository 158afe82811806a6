import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { event, service, T0 } from '../support/scenario.ts';

test('figures of a brushed time are those of the rows within it', async () => {
  const core = await memoryCore();
  const events = [690, 691, 702, 799].map((second, i) => event(`e${i}`, second, 'redfish', 'fan_failure', 'server-1'));
  await core.importJson({ events }, { service_metrics: service('inference') });
  const lanes = (await core.api['timeline.lanes']({})).map(({ id }) => id);
  const at = (second: number) => BigInt(T0 + second * 1000) * 1_000_000n;
  const input = { start_ns: at(691), end_ns: at(711), lanes: [...lanes, 'metric:gpu:none:power'] };
  const figures = await core.api['timeline.statistics'](input);
  expect(figures.map(({ lane }) => lane)).toEqual(input.lanes);
  const of = (id: string) => figures.find(({ lane }) => lane === id);
  expect(of(lanes.find((id) => id.startsWith('events:'))!)).toMatchObject({
    count: 2,
    per_second: 0.1,
    min: null,
  });
  const p99 = lanes.find((id) => id.endsWith('service.latency.p99'))!;
  const { rows } = await core.api['query.sql']({
    sql: `select count(*), min(value), avg(value), quantile_cont(value, 0.95), max(value) from metrics
      where metric = 'service.latency.p99' and time_ns between ${at(691)} and ${at(711)}`,
  });
  const [count, min, mean, p95, max] = (rows[0] ?? []).map(Number);
  expect(count).toBe(2);
  expect(of(p99)).toEqual({ lane: p99, count, per_second: 0.1, min, mean, p95, max });
  expect(of('metric:gpu:none:power')).toMatchObject({ count: 0, mean: null });
});
