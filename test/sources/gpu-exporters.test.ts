import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

type Fact = readonly [
  name: string,
  labels: Readonly<Record<string, string>>,
  value: number,
  wanted: readonly [metric: string, unit: string | null, value: number, entity: string],
];

const nvidia = { gpu: '0', UUID: 'GPU-11111111-2222-3333-4444-555555555555', Hostname: 'h100-1' };
const gpu = `gpu:${nvidia.UUID}`;
const amd = { gpu_id: '3', hostname: 'mi300-1', serial_number: '692432000001', card_model: 'MI300X' };
const intel = {
  uuid: '01000000-0000-0000-0000-000000290000',
  pci_bdf: '0000:29:00.0',
  dev_file: 'card1',
  node: 'max-1',
};
const gaudi = { UUID: '01P0-HL2080A0-15-TNPS34-14-07-09', id: '2', device: 'AM123', Hostname: 'gaudi-1' };
const gaudiKey = `gpu:${gaudi.UUID}`;
const mi300 = 'gpu:mi300-1/gpu3';
const max = 'gpu:max-1/pci-0000:29:00';

/** As the exporter writes it, and what it is; the same in every container. */
const facts: readonly Fact[] = [
  ['DCGM_FI_DEV_POWER_USAGE', nvidia, 300, ['hw.power', 'W', 300, gpu]],
  ['DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', nvidia, 5000, ['hw.energy', 'J', 5, gpu]],
  [
    'nvidia_smi_clocks_current_sm_clock_hz',
    { uuid: nvidia.UUID },
    1_980_000_000,
    ['hw.gpu.clock.sm', 'MHz', 1980, gpu],
  ],
  ['gpu_throttle_hw_active', { gpu_uuid: nvidia.UUID }, 1, ['gpu.throttle.hw_active', '1', 1, gpu]],
  ['gpu_edge_temperature', amd, 55, ['hw.temperature', 'Cel', 55, mi300]],
  ['amd_gpu_package_power', amd, 600, ['hw.power', 'W', 600, mi300]],
  ['gpu_energy_consumed', amd, 7_000_000, ['hw.energy', 'J', 7, mi300]],
  ['gpu_used_vram', amd, 2, ['hw.gpu.memory.usage', 'By', 2_097_152, mi300]],
  ['gpu_clock', { ...amd, clock_type: 'GPU_CLOCK_TYPE_SYSTEM' }, 2100, ['hw.gpu.clock.sm', 'MHz', 2100, mi300]],
  ['gpu_ecc_uncorrect_total', amd, 1, ['hw.gpu.ecc.uncorrected', '{error}', 1, mi300]],
  ['gpu_ecc_correct_umc', amd, 4, ['hw.gpu.ecc.corrected', '{error}', 4, mi300]],
  ['pcie_replay_count', amd, 2, ['hw.gpu.pcie.replays', '{error}', 2, mi300]],
  ['gpu_afid_errors', amd, 30, ['gpu_afid_errors', null, 30, mi300]],
  [
    'amd_gpu_power',
    { gpu_power: '0', productname: 'MI210', hostname: 'old-1' },
    9e7,
    ['hw.power', 'W', 90, 'gpu:old-1/gpu0'],
  ],
  ['xpum_power_watts', intel, 300, ['hw.power', 'W', 300, max]],
  ['xpum_engine_ratio', intel, 0.5, ['hw.gpu.utilization', '%', 50, max]],
  ['xpum_temperature_celsius', { ...intel, location: 'mem' }, 60, ['hw.gpu.memory.temperature', 'Cel', 60, max]],
  ['xpum_frequency_mhz', { ...intel, location: 'gpu', type: 'actual' }, 1600, ['hw.gpu.clock.sm', 'MHz', 1600, max]],
  ['habanalabs_temperature_onchip', gaudi, 61, ['hw.temperature', 'Cel', 61, gaudiKey]],
  ['habanalabs_power_mW', gaudi, 350_000, ['hw.power', 'W', 350, gaudiKey]],
  ['habanalabs_pci_link_width', gaudi, 16, ['hw.pcie.link.width', '{lane}', 16, gaudiKey]],
  ['node_hwmon_temp_celsius', { Hostname: 'h100-1', chip: 'a' }, 40, ['hw.temperature', 'Cel', 40, 'server:h100-1']],
  ['gpu_dcgm_utilization', { uuid: nvidia.UUID, gpu_number: '0' }, 0.4, ['hw.gpu.utilization', '%', 40, gpu]],
];
const hosts = { [gpu]: 'h100-1', [mi300]: 'mi300-1', [max]: 'max-1', [gaudiKey]: 'gaudi-1', 'gpu:old-1/gpu0': 'old-1' };
const SECOND = 1_777_644_600;

const promText = facts
  .map(([name, labels, value]) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text}"`);
    return `# TYPE ${name} gauge\n${name}{${pairs.join()}} ${value} ${SECOND}000\n`;
  })
  .join('');
const rangeQuery = JSON.stringify({
  status: 'success',
  data: {
    resultType: 'matrix',
    result: facts.map(([__name__, labels, value]) => ({
      metric: { __name__, ...labels },
      values: [[SECOND, String(value)]],
    })),
  },
});
const otlp = (written: (name: string) => string, unit: (name: string) => string) =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'collector' } }] },
        scopeMetrics: [
          {
            metrics: facts.map(([name, labels, value]) => ({
              name: written(name),
              unit: unit(name),
              gauge: {
                dataPoints: [
                  {
                    timeUnixNano: `${SECOND}000000000`,
                    asDouble: value,
                    attributes: Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } })),
                  },
                ],
              },
            })),
          },
        ],
      },
    ],
  });

const units = [
  ['_celsius', 'Cel'],
  ['_watts', 'W'],
  ['_hz', 'Hz'],
  ['_mhz', 'MHz'],
  ['_ratio', '1'],
  ['_mW', 'mW'],
] as const;
const suffixOf = (name: string) => units.find(([suffix]) => name.endsWith(suffix));

async function imported(file: string, content: string): Promise<TestCore> {
  const path = join(await temporaryFolder(), file);
  await writeFile(path, content);
  const core = await memoryCore();
  await core.import([path]);
  return core;
}
const rowsOf = async (core: TestCore, sql: string) => (await core.api['query.sql']({ sql })).rows;
const METRICS = "select metric, unit, value, entity_kind || ':' || entity as entity from metrics order by all";
const CONTAINS = `select from_kind || ':' || from_id, to_kind || ':' || to_id from topology
  where edge = 'contains' and to_kind = 'gpu' order by all`;

test.each([
  ['Prometheus text', 'scrape.prom', promText],
  ['a range query', 'answer.json', rangeQuery],
  ['OTLP', 'otlp.json', otlp(String, () => '')],
  [
    'OTLP without units in names',
    'otlp.json',
    otlp(
      (name) => name.slice(0, name.length - (suffixOf(name)?.[0].length ?? 0)),
      (name) => suffixOf(name)?.[1] ?? '',
    ),
  ],
  [
    'OTLP with dots',
    'otlp.json',
    otlp(
      (name) => (name === 'gpu_afid_errors' ? name : name.replaceAll('_', '.')),
      (name) => suffixOf(name)?.[1] ?? '',
    ),
  ],
])('%s: the series of GPU exporters are common metrics of the GPU', async (_, file, content) => {
  const core = await imported(file, content);
  const wanted = facts.map(([, , , row]) => row).sort((a, b) => (String(a) < String(b) ? -1 : 1));
  const found = (await rowsOf(core, METRICS)).sort((a, b) => (String(a) < String(b) ? -1 : 1));
  expect(found).toEqual(wanted);
  expect(await rowsOf(core, CONTAINS)).toEqual(
    Object.entries(hosts)
      .map(([contained, host]) => [`server:${host}`, contained])
      .sort((a, b) => (String(a) < String(b) ? -1 : 1)),
  );
});

test('other vendors: no series keeps the name of its exporter', async () => {
  const core = await memoryCore();
  await core.import([sharedData('defects/dcgm/other-vendors.prom')]);
  expect(await rowsOf(core, `${METRICS.replace(' order', " where entity_kind = 'gpu' order")}`)).toEqual([
    ['gpu.throttle.hw_active', '1', 1, 'gpu:GPU-bbbbbbbb-0000-0000-0000-000000000002'],
    ['hw.power', 'W', 300, 'gpu:max-1/card0'],
    ['hw.power', 'W', 600, 'gpu:mi300-1/gpu0'],
    ['hw.temperature', 'Cel', 55, 'gpu:mi300-1/gpu0'],
    ['hw.temperature', 'Cel', 61, 'gpu:01P0-HL2080A0-15-TNPS34-14-07-09'],
  ]);
});

test('every reason of NVML that holds clocks down is an event; an idle GPU is none', async () => {
  const core = await memoryCore();
  await core.import([sharedData('defects/throttle/dcgm-one-bit-per-gpu.json')]);
  const events = await rowsOf(
    core,
    "select device_id, type, message from events where type <> 'throttle_ended' order by device_id, type",
  );
  const of = (index: number) => events.filter(([id]) => String(id).startsWith(`GPU-${String(index).padStart(8, '0')}`));
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8].map((index) => of(index).map(([, type]) => type))).toEqual([
    [],
    ['clocks_limited'],
    ['power_cap_applied'],
    ['hw_slowdown'],
    ['clocks_limited'],
    ['thermal_throttle'],
    ['thermal_throttle'],
    ['power_brake'],
    ['clocks_limited'],
  ]);
});

test("the states of Ingero's agent are the same events, by OTLP and by Prometheus", async () => {
  const uuid = 'GPU-bbbbbbbb-0000-0000-0000-000000000002';
  const lines = ['power', 'thermal', 'sw', 'hw'].map((reason) => {
    const name = `gpu_throttle_${reason}_active`;
    const line = (second: number, value: number) => `${name}{gpu_uuid="${uuid}"} ${value} ${SECOND + second}000\n`;
    return `# TYPE ${name} gauge\n${line(0, 0)}${line(30, 1)}${line(60, 1)}${line(90, 0)}`;
  });
  const core = await imported('ingero.prom', lines.join(''));
  expect(await rowsOf(core, 'select type, device_id from events order by time_ns, type')).toEqual(
    [
      'clocks_limited',
      'hw_slowdown',
      'power_cap_applied',
      'thermal_throttle',
      'throttle_ended',
      'throttle_ended',
      'throttle_ended',
      'throttle_ended',
    ].map((type) => [type, uuid]),
  );
  const points = (value: number, second: number) => ({
    timeUnixNano: `${SECOND + second}000000000`,
    asInt: String(value),
    attributes: [{ key: 'gpu.uuid', value: { stringValue: uuid } }],
  });
  const metrics = ['power', 'thermal', 'sw', 'hw'].map((reason) => ({
    name: `gpu.throttle.${reason}_active`,
    unit: '1',
    gauge: { dataPoints: [points(0, 0), points(1, 30), points(1, 60), points(0, 90)] },
  }));
  const byOtlp = await memoryCore();
  await byOtlp.importJson({ resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics }] }] });
  const kinds = 'select type, device_id, message from events order by time_ns, type, message';
  expect(await rowsOf(byOtlp, kinds)).toEqual(await rowsOf(core, kinds));
});

test('the DCGM receiver names the GPU in its resource', async () => {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const metric = (name: string, unit: string, value: number, attributes: readonly unknown[] = []) => ({
    name,
    unit,
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [{ timeUnixNano: `${SECOND}000000000`, asDouble: value, attributes }],
    },
  });
  const core = await memoryCore();
  await core.importJson({
    resourceMetrics: [
      {
        resource: {
          attributes: [
            text('host.name', 'h100-1'),
            text('gpu.uuid', nvidia.UUID),
            text('gpu.number', '0'),
            text('gpu.model', 'H100'),
          ],
        },
        scopeMetrics: [
          {
            metrics: [
              metric('gpu.dcgm.energy_consumption', 'J', 5),
              metric('gpu.dcgm.clock.throttle_duration.time', 's', 2, [text('gpu.clock.violation', 'thermal')]),
              metric('gpu.dcgm.clock.throttle_duration.time', 's', 1, [text('gpu.clock.violation', 'low_util')]),
              metric('gpu.dcgm.ecc_errors', '{error}', 1, [text('gpu.error.type', 'dbe')]),
            ],
          },
        ],
      },
    ],
  });
  expect(await rowsOf(core, METRICS)).toEqual([
    ['gpu.dcgm.clock.throttle_duration.time', 's', 1, gpu],
    ['hw.energy', 'J', 5, gpu],
    ['hw.gpu.ecc.uncorrected', '{error}', 1, gpu],
    ['hw.gpu.throttle.thermal', 's', 2, gpu],
  ]);
});
