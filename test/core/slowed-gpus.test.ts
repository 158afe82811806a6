import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { event, T0 } from '../support/scenario.ts';

const GPUS = 4;
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** Clocks and load of the GPUs of one machine, a sample every five seconds for ten minutes. */
function samples(clock: (gpu: number, second: number) => number, busy: (gpu: number) => number) {
  const points = (value: (second: number) => number) =>
    Array.from({ length: 120 }, (_, i) => ({
      timeUnixNano: String(BigInt(T0 + i * 5000) * 1_000_000n),
      asDouble: value(i * 5),
    }));
  return {
    resourceMetrics: Array.from({ length: GPUS }, (_, gpu) => ({
      resource: {
        attributes: [text('faultline.entity.kind', 'gpu'), text('faultline.entity.id', `node-1/GPU-${gpu}`)],
      },
      scopeMetrics: [
        {
          metrics: [
            { name: 'hw.gpu.clock.sm', unit: 'MHz', gauge: { dataPoints: points((at) => clock(gpu, at)) } },
            { name: 'hw.gpu.utilization', unit: '%', gauge: { dataPoints: points(() => busy(gpu)) } },
          ],
        },
      ],
    })),
  };
}

const mappings = [
  {
    physical_device_id: 'node-1',
    asset_tag: 'N-1',
    gpus: Array.from({ length: GPUS }, (_, gpu) => `node-1/GPU-${gpu}`),
  },
];

async function brakeFinding(clock: (gpu: number, second: number) => number, busy: (gpu: number) => number = () => 90) {
  const brake = {
    ...event('b1', 301, 'nvml', 'power_brake', 'node-1/GPU-0', 'high'),
    raw_message: 'Clock event reasons 0x80: hardware power brake',
  };
  const core = await memoryCore();
  await core.importJson({ events: [brake] }, { mappings }, samples(clock, busy));
  const { findings } = await core.api['patterns.list']({ pattern: 'gpu-power-brake' });
  return findings[0];
}
const braked = (at: number): boolean => at >= 300 && at < 400;

test('GPUs whose clocks fell with those that reported the brake are counted with them', async () => {
  const finding = await brakeFinding((gpu, at) => (gpu < 3 && braked(at) ? 900 : 1980));
  expect(finding?.headline).toBe(
    '3 GPUs (node-1/GPU-0, node-1/GPU-1 and node-1/GPU-2) slowed from 1980 to 900 MHz for 1.6 min: 1 reported the external power brake, 2 show it by the clocks alone.',
  );
  expect(finding?.entities.map(({ id }) => id)).toStrictEqual(['node-1/GPU-0', 'node-1/GPU-1', 'node-1/GPU-2']);
  expect(finding?.evidence.map((line) => line.text)).toContain(
    'clocks of 3 GPUs of these machines fell from 1980 to 900 MHz',
  );
});

test('an idle GPU, and one that slows later, are not counted; without clocks the end stays unknown', async () => {
  const idle = await brakeFinding(
    (gpu, at) => (gpu === 3 ? (at >= 450 ? 900 : 1980) : braked(at) ? 900 : 1980),
    (gpu) => (gpu === 0 || gpu === 3 ? 90 : 5),
  );
  expect(idle?.headline).toBe('1 GPU (node-1/GPU-0) braked by the external power signal for 1.6 min.');
  const never = await brakeFinding((_gpu, at) => (at >= 300 ? 900 : 1980));
  expect(never?.headline).toMatch(/^4 GPUs .* slowed from 1980 to 900 MHz with no end recorded: 1 reported/);
});
