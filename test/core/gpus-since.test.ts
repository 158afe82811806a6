import { expect, test } from 'vitest';
import { attributes, unixNano } from '../../src/main/demo/otlp.ts';
import { memoryCore } from '../support/core.ts';

/** Samples of eight GPUs of one machine, a 10 s apart; one of them is slow from 610 s on. */
const SLOW_FROM_S = 610;
const clockAt = (gpu: number, at_s: number): number => (gpu === 3 && at_s >= SLOW_FROM_S ? 600 : 1980);

test('a GPU differs since its first slow sample, however wide the window is', async () => {
  const core = await memoryCore();
  const dataPoints = Array.from({ length: 8 }, (_, gpu) =>
    Array.from({ length: 120 }, (_at, i) => ({
      timeUnixNano: unixNano((i + 1) * 10),
      asDouble: clockAt(gpu, (i + 1) * 10),
      attributes: attributes({ gpu: String(gpu), UUID: `GPU-${gpu}`, Hostname: 'n1' }),
    })),
  ).flat();
  const metrics = [{ name: 'DCGM_FI_DEV_SM_CLOCK', gauge: { dataPoints } }];
  const resource = { attributes: attributes({ 'host.name': 'n1' }) };
  await core.importJson({ resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'dcgm' }, metrics }] }] });
  const slow_ns = BigInt(unixNano(SLOW_FROM_S));
  const sinceIn = async (start_s: number, end_s: number, buckets: number): Promise<number> => {
    const window = { start_ns: BigInt(unixNano(start_s)), end_ns: BigInt(unixNano(end_s)), metric: null, buckets };
    const { differences } = await core.api['gpus.fleet'](window);
    expect(differences).toHaveLength(1);
    return Number(differences[0]!.since_ns - slow_ns) / 1e9;
  };
  expect(Math.abs(await sinceIn(0, 1210, 120))).toBeLessThan(0.1);
  expect(Math.abs(await sinceIn(0, 1210, 40))).toBeLessThan(0.1);
  expect(Math.abs(await sinceIn(0, 1210, 55))).toBeLessThan(0.1);
});
