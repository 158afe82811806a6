import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

const START = 1_767_225_600;

interface Series {
  readonly kind?: string;
  readonly id?: string;
  readonly metric: string;
  readonly unit?: string;
  readonly attributes?: Readonly<Record<string, number | string>>;
  /** One value per `step` seconds; null is a recorded gap. */
  readonly values: readonly (number | null)[];
  readonly step?: number;
}

/** One OTLP metrics request, as a collector would write it; the importers proper have their own tests. */
function request(series: readonly Series[]): unknown {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  return {
    resourceMetrics: series.map(
      ({ kind = 'gpu', id = 'GPU-1', metric, unit = '1', attributes = {}, values, step = 5 }) => ({
        resource: { attributes: [text('faultline.entity.kind', kind), text('faultline.entity.id', id)] },
        scopeMetrics: [
          {
            metrics: [
              {
                name: metric,
                unit,
                gauge: {
                  dataPoints: values.map((value, i) => ({
                    timeUnixNano: String(BigInt(START + i * step) * 1_000_000_000n),
                    ...(value === null ? { flags: 1 } : { asDouble: value }),
                    attributes: Object.entries(attributes).map(([key, limit]) => ({
                      key,
                      value: typeof limit === 'number' ? { doubleValue: limit } : { stringValue: limit },
                    })),
                  })),
                },
              },
            ],
          },
        ],
      }),
    ),
  };
}

async function derived(core: TestCore): Promise<Record<string, unknown>[]> {
  const sql =
    "select event_id, epoch(time_utc) as at, device_id, type, severity, message, attributes from events where origin = 'derived' order by time_ns, event_id";
  const { columns, rows } = await core.api['query.sql']({ sql });
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));
}

async function derive(...series: Series[]): Promise<{ core: TestCore; events: Record<string, unknown>[] }> {
  const core = await memoryCore();
  await core.importJson(request(series));
  return { core, events: await derived(core) };
}
const brief = (events: readonly Record<string, unknown>[]) => events.map(({ at, type }) => [Number(at) - START, type]);

test('throttle reasons become edges; a flicker shorter than the hold is one episode', async () => {
  const { events } = await derive({
    metric: 'hw.gpu.clocks_event_reasons',
    values: [0, 1, 0x88, 0x88, 0, 0x88, 0, 0, 0, 0x20, 0x20, 0x1],
  });
  expect(brief(events)).toEqual([
    [10, 'power_brake'],
    [30, 'throttle_ended'],
    [45, 'thermal_throttle'],
    [55, 'throttle_ended'],
  ]);
  const from = JSON.parse(String(events[0]?.attributes)).derived_from;
  expect(from).toMatchObject({ metric: 'hw.gpu.clocks_event_reasons', sampling_floor_s: 5 });
  expect(from.samples.map((sample: { value: number }) => sample.value)).toEqual([1, 0x88]);
});

test.each([
  [0x400, '0x400'],
  [2 ** 40 + 0x5, '0x10000000000'],
  [2 ** 62, '0x4000000000000000'],
])('a throttle reason without a name (%d) is reported as such', async (mask, bits) => {
  const { events } = await derive({
    metric: 'hw.gpu.clocks_event_reasons',
    values: [0x1, mask, mask, 0x1, 0x1, 0x1, 0x1],
  });
  expect(events.filter(({ message }) => /unnamed reason/.test(String(message)))).toMatchObject([
    { type: 'hw_slowdown', severity: 'medium', message: `throttled for an unnamed reason (${bits})` },
    { type: 'throttle_ended', message: 'no longer throttled for an unnamed reason' },
  ]);
});

test('bits that all have names, and what is no mask, have no reason without a name', async () => {
  const { events } = await derive({
    metric: 'hw.gpu.clocks_event_reasons',
    values: [0, 0x103, 0, -1, 2 ** 63, 2 ** 64, 0],
  });
  expect(events.filter(({ message }) => /unnamed reason/.test(String(message)))).toEqual([]);
});

test('the record of a derived event contains its samples and their resolution', async () => {
  const { core, events } = await derive({
    kind: 'pdu',
    id: 'A',
    metric: 'hw.voltage',
    unit: 'V',
    attributes: { lower_critical: 210 },
    values: [230, 208],
  });
  const { fields } = await core.api['evidence.get']({ ref: `event:${events[0]?.event_id}` });
  const reported = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  expect(reported).toMatchObject({
    'reported by': 'derived',
    'derived from': 'samples of hw.voltage',
    'sample before': '230 V at 2026-01-01T00:00:00.000Z, as recorded',
    sample: '208 V at 2026-01-01T00:00:05.000Z, as recorded',
    'sampling floor': 'sample interval 5 s: shorter bursts are invisible',
  });
});

test('a last Xid is an edge when it changes and is never repeated', async () => {
  const { events } = await derive({ metric: 'hw.gpu.xid', values: [31, 31, null, 31, 79, 79, 79, 0, 79] });
  expect(brief(events)).toEqual([
    [20, 'xid_error'],
    [40, 'xid_error'],
  ]);
});

test('voltage is judged by its limits, or by its own median, with hysteresis', async () => {
  const stated = { kind: 'pdu', id: 'A', metric: 'hw.voltage', unit: 'V', attributes: { lower_critical: 210 } };
  const normalVolts = Array.from({ length: 12 }, () => 230);
  const { events } = await derive(
    { ...stated, values: [230, 209, 211, 209, 213, 215, 230] },
    { kind: 'pdu', id: 'B', metric: 'hw.voltage', unit: 'V', values: [...normalVolts, 206, 208, 212, 230, 254] },
    { kind: 'pdu', id: 'C', metric: 'hw.voltage', unit: 'V', values: [230, 100, 230] },
    { kind: 'pdu', id: 'D', metric: 'hw.voltage', unit: 'V', values: Array.from({ length: 20 }, () => 0) },
  );
  expect(events.map(({ device_id, at, type }) => [device_id, Number(at) - START, type])).toEqual([
    ['A', 5, 'voltage_sag'],
    ['A', 25, 'voltage_restored'],
    ['B', 60, 'voltage_sag'],
    ['B', 70, 'voltage_restored'],
    ['B', 80, 'voltage_swell'],
  ]);
  expect(events[0]?.message).toBe('voltage fell: 209 V');
});

test('power limits, battery, links, fans, errors and status', async () => {
  const { events } = await derive(
    { metric: 'hw.power.limit', unit: 'W', values: [700, 699, 400, 400, 700] },
    { kind: 'cpu', id: 'cpu0', metric: 'hw.power.limit', unit: 'W', values: [350, 250] },
    { kind: 'ups', id: 'U', metric: 'hw.ups.output_source', values: [3, 5, 3, 3, 3, 3, 3, 3] },
    { kind: 'port', id: 'P', metric: 'hw.link.state', values: [1, 0, 1] },
    {
      kind: 'cooling',
      id: 'F',
      metric: 'hw.fan.speed',
      unit: 'rpm',
      attributes: { lower_critical: 800 },
      values: [900, 700],
    },
    { metric: 'hw.gpu.ecc.uncorrected', values: [3, 3, 5, 6, 0, 0] },
    { kind: 'psu', id: 'PSU', metric: 'hw.status', values: [0, 2] },
    { kind: 'psu', id: 'EMPTY', metric: 'hw.present', values: [0, 0] },
  );
  const eventTexts = events.map(({ device_id, type, message }) => `${device_id} ${type}: ${message}`).sort();
  expect(eventTexts).toEqual(
    [
      'GPU-1 power_cap_applied: power limit 699 W -> 400 W',
      'GPU-1 power_cap_removed: power limit 400 W -> 700 W',
      'cpu0 cpu_power_cap: power limit 350 W -> 250 W',
      'U ups_transfer: on battery',
      'U ups_restored: no longer on battery',
      'P link_down: link went down',
      'P link_up: link came up',
      'F fan_failure: fan speed fell: 700 rpm',
      'GPU-1 ecc_error: uncorrected memory errors: +2',
      'PSU psu_failure: health is critical',
    ].sort(),
  );
});

test('a state in the first sample is reported as begun before', async () => {
  const { events } = await derive({ kind: 'ups', id: 'U', metric: 'hw.ups.output_source', values: [5, 5, 3, 3, 3, 3] });
  expect(events[0]).toMatchObject({ type: 'ups_transfer', severity: 'low' });
  expect(JSON.parse(String(events[0]?.attributes)).began_before_recording).toBe(true);
});

test('importing more keeps the numbers of events that stand, and joins series across files', async () => {
  const core = await memoryCore();
  const folder = await temporaryFolder();
  const write = async (name: string, document: unknown) => {
    await writeFile(join(folder, name), JSON.stringify(document));
    return join(folder, name);
  };
  const brake = { metric: 'hw.gpu.clocks_event_reasons' };
  await core.import([await write('a.json', request([{ ...brake, values: [0, 0x80] }]))]);
  const before = await derived(core);
  expect(brief(before)).toEqual([[5, 'power_brake']]);
  const late = JSON.stringify(request([{ ...brake, values: [0x80, 0x80, 0, 0, 0] }])).replaceAll(
    /"timeUnixNano":"(\d+)"/g,
    (_, time) => `"timeUnixNano":"${BigInt(time) + 10_000_000_000n}"`,
  );
  await writeFile(join(folder, 'b.json'), late);
  await core.import([join(folder, 'b.json')]);
  const after = await derived(core);
  expect(brief(after)).toEqual([
    [5, 'power_brake'],
    [20, 'throttle_ended'],
  ]);
  expect(after[0]?.event_id).toEqual(before[0]?.event_id);
});

test.each([
  ['nvrx/gpu_error_1st', ['gpu_error_1st/rank-12', 'gpu_error_1st/rank-14']],
  ['nvrx/lock_gil_1st', ['lock_gil_1st/rank-14', 'lock_gil_1st/rank-9']],
  ['derived-json/gpu_error_1st', ['gpu_error_1st/rank-12', 'gpu_error_1st/rank-14']],
  ['synthetic/hang_rank5_timing', ['hang_rank5_timing/rank-5', 'proto4/rank-5']],
])('the dumps of %s point at the ranks that were made to fail', async (folder, ranks) => {
  const path = sharedData(`nccl-fr/${folder}`);
  const core = await memoryCore();
  const progress = await core.import([path]);
  expect(progress.filter(({ kind }) => kind === 'problem')).toEqual([]);
  const blamed = (await derived(core)).filter(({ type }) => String(type).startsWith('collective'));
  // The synthetic hang lies in its folder twice, in two protocols of pickle: one event each.
  expect([...new Set(blamed.map(({ device_id }) => device_id))].sort()).toEqual(ranks);
});

test('an Xid gauge that holds no number of an Xid is no event', async () => {
  const { events } = await derive({ metric: 'hw.gpu.xid', values: [0, 1e300, 0, -5, 79] });
  expect(events.map(({ message }) => message)).toEqual(['Xid 79']);
});

test('a PCIe link that loses lanes is an event, one that slows down at rest or is gone is none', async () => {
  const { events } = await derive(
    { metric: 'hw.pcie.link.width', unit: '{lane}', values: [16, 16, 8, 8, 4, 16, 0, 16] },
    { metric: 'hw.pcie.link.generation', values: [5, 1, 5] },
  );
  expect(brief(events)).toEqual([
    [10, 'pcie_link_degraded'],
    [20, 'pcie_link_degraded'],
    [25, 'pcie_link_restored'],
  ]);
  expect(events.map(({ message }) => message)).toEqual([
    'PCIe link x16 -> x8, of x16',
    'PCIe link x8 -> x4, of x16',
    'PCIe link x4 -> x16',
  ]);
});

test('errors of memory and processors are events, those of other parts are numbers', async () => {
  const errors = (component: string, error: string) => ({
    kind: 'device',
    id: `${component}-1`,
    metric: 'hw.errors',
    unit: '{error}',
    attributes: { 'hw.type': component, 'error.type': error },
    values: [0, 0, 3, 3],
  });
  const { events } = await derive(
    errors('memory', 'uncorrected'),
    errors('cpu', 'corrected'),
    errors('network', 'crc'),
  );
  expect(events.map(({ type, severity, message }) => [type, severity, message])).toEqual([
    ['memory_error', 'high', 'uncorrected errors of memory: +3'],
    ['machine_check', 'low', 'corrected errors of a processor: +3'],
  ]);
});

test('a cooling unit that goes off is an event, one in standby or off from the start is none', async () => {
  const { events } = await derive(
    {
      kind: 'cooling',
      id: 'crac-1',
      metric: 'hw.cooling.state',
      values: [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    },
    { kind: 'cooling', id: 'crac-2', metric: 'hw.cooling.state', values: [1, 1, 2, 2] },
    { kind: 'cooling', id: 'crac-3', metric: 'hw.cooling.state', values: [0, 0, 0, 0] },
  );
  expect(events.map(({ device_id, type, message, at }) => [device_id, type, message, Number(at) - START])).toEqual([
    ['crac-1', 'cooling_failure', 'went off', 10],
    ['crac-1', 'fan_restored', 'is no longer off', 75],
  ]);
});
