import { expect, test } from 'vitest';
import { memoryCore, type TestCore } from '../support/core.ts';
import { event, service, T0, topology } from '../support/scenario.ts';

interface Sampled {
  readonly kind: string;
  readonly id: string;
  readonly metric: string;
  readonly unit: string;
  readonly value: (second: number) => number;
  readonly every?: number;
}

/** Samples of the whole scenario as one OTLP metrics request. */
async function addSamples(core: TestCore, sampled: readonly Sampled[]): Promise<void> {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const resourceMetrics = sampled.map(({ kind, id, metric, unit, value, every = 5 }) => ({
    resource: { attributes: [text('faultline.entity.kind', kind), text('faultline.entity.id', id)] },
    scopeMetrics: [
      {
        metrics: [
          {
            name: metric,
            unit,
            gauge: {
              dataPoints: Array.from({ length: Math.floor(900 / every) }, (_, i) => ({
                timeUnixNano: String(BigInt(T0 + i * every * 1000) * 1_000_000n),
                asDouble: value(i * every),
              })),
            },
          },
        ],
      },
    ],
  }));
  await core.importJson({ resourceMetrics });
}

const throttle = (second: number, device: string, celsius: number) => ({
  ...event(`t-${device}`, second, 'nvml', 'thermal_throttle', device, 'critical', { temperature_c: celsius }),
  raw_message: `software thermal slowdown at ${celsius} C`,
});

async function scenario(events: readonly unknown[], samples: readonly Sampled[]): Promise<TestCore> {
  const core = await memoryCore();
  await core.importJson({ events }, { service_metrics: service('inference') }, topology);
  await addSamples(core, samples);
  return core;
}

const cool: Omit<Sampled, 'id'> = { kind: 'gpu', metric: 'hw.temperature', unit: 'Cel', value: (at) => 63 + (at % 2) };
const sag = {
  ...event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B', 'critical', { voltage_v: 150 }),
  raw_message: 'voltage fell to 150 V',
};

async function recordOf(core: TestCore, type: string) {
  const { rows } = await core.api['query.sql']({ sql: `select event_id from events where type = '${type}'` });
  const record = await core.api['evidence.get']({ ref: `event:${rows[0]?.[0]}` });
  return record.kind === 'event' ? record : null;
}

test('a temperature that the samples around the event do not show is a contradiction wherever the event is shown', async () => {
  const core = await scenario([sag, throttle(692, 'GPU-1', 84)], [{ ...cool, id: 'GPU-1' }]);
  const record = await recordOf(core, 'thermal_throttle');
  expect(record?.contradiction).toMatchObject({
    metric: 'hw.temperature',
    unit: 'Cel',
    stated: 84,
    least: 63,
    most: 64,
  });
  const sample = await core.api['evidence.get']({ ref: record?.contradiction?.ref ?? '' });
  expect(sample.title).toBe('hw.temperature of GPU-1: 63 Cel');

  const { findings } = await core.api['patterns.list']({});
  const words = /the event states 84 °C, but 4 samples of the temperature in the 15 s around it are 63 to 64 °C/;
  expect(findings.find(({ pattern }) => pattern === 'gpu-thermal')?.contradictions).toMatchObject([
    { text: expect.stringMatching(words) },
  ]);
  const [view] = await core.api['incidents.list']({});
  const shown = [...(view?.steps ?? []), ...(view?.unused_events ?? [])].filter(
    ({ type }) => type === 'thermal_throttle',
  );
  expect(shown.map(({ contradiction }) => contradiction?.stated)).toStrictEqual([84]);
  const { text } = await core.api['report.render']({});
  expect(text).toMatch(new RegExp(`thermal throttle\\W+on GPU-1[^\n]*; contradicted: ${words.source}`));
});

test('nothing is contradicted where samples agree, where they are too far away, or of a machine with many sensors', async () => {
  const hot = { ...cool, id: 'GPU-1', value: (at: number) => (at >= 690 ? 82 : 63) };
  const agreeing = await scenario([sag, throttle(692, 'GPU-1', 84)], [hot]);
  expect((await recordOf(agreeing, 'thermal_throttle'))?.contradiction).toBeNull();

  const sparse = await scenario([sag, throttle(692, 'GPU-1', 84)], [{ ...cool, id: 'GPU-1', every: 300 }]);
  expect((await recordOf(sparse, 'thermal_throttle'))?.contradiction).toBeNull();

  const inlet = { ...cool, id: 'server-1', kind: 'server', value: () => 24 };
  const machine = await scenario([sag, throttle(692, 'server-1', 95)], [inlet]);
  expect((await recordOf(machine, 'thermal_throttle'))?.contradiction).toBeNull();
});

test('a sag that the voltage of its PDU does not show is contradicted in the chain', async () => {
  const volts = { kind: 'pdu', id: 'PDU-B', metric: 'hw.voltage', unit: 'V', value: () => 230, every: 1 };
  const core = await scenario([sag], [volts]);
  const [view] = await core.api['incidents.list']({});
  expect(view?.steps[0]).toMatchObject({ type: 'voltage_sag', contradiction: { stated: 150, least: 230, most: 230 } });
  const { text } = await core.api['report.render']({});
  expect(text).toContain('the event states 150 V, but 21 samples of the voltage in the 20 s around it are 230 V');
});
