import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

async function imported(...paths: readonly string[]): Promise<TestCore> {
  const core = await memoryCore();
  await core.import(paths.map(sharedData));
  return core;
}
const rowsOf = async (core: TestCore, sql: string) => (await core.api['query.sql']({ sql })).rows;

test('hw.status by hw.state is the health of the component', async () => {
  const core = await imported('defects/hw-status/otlp-metrics.json');
  const events = 'select type, device_id, message, time_utc::varchar from events order by time_ns';
  expect(await rowsOf(core, events)).toEqual([
    ['psu_failure', 'srv-1/psu-1', 'health is critical', '2026-05-01 14:05:00'],
  ]);
});

const gauge = (
  name: string,
  unit: string,
  value: number,
  attributes: Readonly<Record<string, string>>,
  of: readonly [string, string] = ['host.name', 'srv-1'],
) => ({
  resourceMetrics: [
    {
      resource: { attributes: [{ key: of[0], value: { stringValue: of[1] } }] },
      scopeMetrics: [
        {
          metrics: [
            {
              name,
              unit,
              gauge: {
                dataPoints: [
                  {
                    timeUnixNano: '1777644000000000000',
                    asDouble: value,
                    attributes: Object.entries(attributes).map(([key, text]) => ({
                      key,
                      value: { stringValue: text },
                    })),
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  ],
});

test.each([
  ['hw.gpu.utilization', '1', 0.87, {}, ['hw.gpu.utilization', '%', 87]],
  ['hw.gpu.utilization', '%', 87, {}, ['hw.gpu.utilization', '%', 87]],
  ['hw.power', 'kW', 1.5, {}, ['hw.power', 'W', 1500]],
  ['hw.status', '1', 1, { 'hw.state': 'degraded' }, ['hw.status', '1', 1]],
  ['hw.status', '1', 1, { 'hw.state': 'charging' }, ['hw.status.state', '1', 1]],
  ['hw.status', '{status}', 1, { 'hw.state': 'failed' }, ['hw.status', '1', 2]],
  ['hw.status', '1', 2, {}, ['hw.status', '1', 2]],
  // Names of the hardware conventions that differ from ours in name, unit or meaning.
  ['hw.gpu.memory.utilization', '1', 0.9, {}, ['hw.gpu.memory.usage_ratio', '%', 90]],
  ['hw.gpu.memory.utilization', '%', 30, {}, ['hw.gpu.memory.utilization', '%', 30]],
  ['hw.gpu.utilization', '', 87, {}, ['hw.gpu.utilization', null, 87]],
  ['hw.errors', '{error}', 2, { 'error.type': 'uncorrected' }, ['hw.gpu.ecc.uncorrected', '{error}', 2]],
  ['hw.errors', '{error}', 2, { 'hw.type': 'network', 'error.type': 'crc' }, ['hw.errors', '{error}', 2]],
  ['hw.host.power', 'W', 800, { 'hw.type': 'host' }, ['hw.power', 'W', 800]],
  ['hw.host.energy', 'J', 9, { 'hw.type': 'host' }, ['hw.energy', 'J', 9]],
  ['hw.host.ambient_temperature', 'Cel', 24, { 'hw.type': 'host' }, ['hw.temperature', 'Cel', 24]],
  ['hw.power_supply.usage', 'W', 400, { 'hw.type': 'power_supply' }, ['hw.power', 'W', 400]],
  ['hw.power_supply.utilization', '1', 0.5, { 'hw.type': 'power_supply' }, ['hw.load', '%', 50]],
  ['hw.battery.charge', '1', 0.8, { 'hw.type': 'battery' }, ['hw.battery.charge', '%', 80]],
  ['hw.fan.speed_ratio', '1', 0.4, { 'hw.type': 'fan' }, ['hw.fan.speed_ratio', '%', 40]],
  ['hw.fan.speed', 'rpm', 9000, { 'hw.type': 'fan' }, ['hw.fan.speed', 'rpm', 9000]],
  ['hw.network.up', '1', 1, { 'hw.type': 'network' }, ['hw.link.state', '1', 1]],
  ['hw.power', 'By', 7, {}, ['hw.power', 'By', 7]],
  ['hw.gpu.io', 'By', 7, {}, ['hw.gpu.io', 'By', 7]],
  ['hw.temperature.limit', 'Cel', 90, {}, ['hw.temperature.limit', 'Cel', 90]],
  ['app.utilization', '1', 0.87, {}, ['app.utilization', '1', 0.87]],
  ['DCGM_FI_DEV_GPU_UTIL', '', 87, { UUID: 'GPU-1' }, ['hw.gpu.utilization', '%', 87]],
])('%s in %s is stored in the unit of its name', async (name, unit, value, attributes, wanted) => {
  const core = await memoryCore();
  await core.importJson(gauge(name, unit, value, { 'hw.id': 'x', 'hw.type': 'gpu', ...attributes }));
  expect(await rowsOf(core, 'select metric, unit, value from metrics')).toEqual([wanted]);
});

test('names of the conventions are the same in Prometheus text', async () => {
  const core = await memoryCore();
  const labels = 'hw_id="GPU-1",hw_type="gpu",host_name="srv-1"';
  const scrape = [
    `hw_gpu_utilization_ratio{${labels}} 0.87`,
    `hw_energy_joules_total{${labels}} 12`,
    `hw_errors_total{${labels},error_type="corrected"} 3`,
    `hw_status{${labels},hw_state="ok"} 0`,
    `hw_status{${labels},hw_state="degraded"} 1`,
  ];
  const path = join(await temporaryFolder(), 'hw.prom');
  await writeFile(path, scrape.map((line) => `${line} 1777644000000\n`).join(''));
  await core.import([path]);
  expect(await rowsOf(core, 'select metric, unit, value, entity_kind, entity from metrics order by metric')).toEqual([
    ['hw.energy', 'J', 12, 'gpu', 'GPU-1'],
    ['hw.gpu.ecc.corrected', '{error}', 3, 'gpu', 'GPU-1'],
    ['hw.gpu.utilization', '%', 87, 'gpu', 'GPU-1'],
    ['hw.status', '1', 1, 'gpu', 'GPU-1'],
  ]);
  expect(await rowsOf(core, 'select from_id, edge, to_id from topology')).toEqual([['srv-1', 'contains', 'GPU-1']]);
});

test('an index names no GPU where the machine is unknown', async () => {
  const core = await memoryCore();
  await core.importJson(gauge('DCGM_FI_DEV_GPU_UTIL', '', 87, { gpu: '0' }, ['service.name', 'dcgm-exporter']));
  expect(await rowsOf(core, 'select metric, entity_kind from metrics')).toEqual([['DCGM_FI_DEV_GPU_UTIL', 'service']]);
});

test('a state that does not hold is no point', async () => {
  const core = await memoryCore();
  await core.importJson(gauge('hw.status', '1', 0, { 'hw.id': 'x', 'hw.type': 'gpu', 'hw.state': 'failed' }));
  expect(await rowsOf(core, 'select count(*)::integer from metrics')).toEqual([[0]]);
});

test('DCGM fields by OTLP are events of the GPU', async () => {
  const core = await imported('defects/dcgm/throttle-xid-ecc-otlp.json');
  const gpu = 'GPU-11111111-2222-3333-4444-555555555555';
  expect(await rowsOf(core, 'select type, device_id from events order by type')).toEqual([
    ['ecc_error', gpu],
    ['thermal_throttle', gpu],
    ['throttle_ended', gpu],
    ['xid_error', gpu],
  ]);
});

test('the same DCGM samples give the same finding by OTLP as by a Prometheus answer', async () => {
  const findings = async (path: string) =>
    (await (await imported(path)).api['patterns.list']({})).findings.map(({ headline }) => headline);
  const byPrometheus = await findings('defects/dcgm/straggler-prometheus.json');
  expect(byPrometheus).toEqual([expect.stringContaining('while the 7 other GPUs ran at')]);
  expect(await findings('defects/dcgm/straggler-otlp.json.gz')).toEqual(byPrometheus);
});
