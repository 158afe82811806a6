import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { durationOf, numberOf } from '../../src/main/sources/redfish/format.ts';
import { redfish } from '../../src/main/sources/redfish/index.ts';
import { treeRoot } from '../../src/main/sources/redfish/tree-root.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { countsOf, type Reading, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';
import { CAPTURED_NS, type InputOptions } from '../support/source-input.ts';

type Tree = Record<string, Uint8Array | string>;
const headOf = (bytes: Uint8Array | string) => new FileHead(Buffer.from(bytes as Uint8Array).subarray(0, 65_536));
/** What the host would gather from a folder: claimed files by root. */
function gather(folder: string): Map<string, Tree> {
  const trees = new Map<string, Tree>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!statSync(join(folder, name)).isFile()) continue;
    const bytes = readFileSync(join(folder, name));
    if (!redfish.detect(headOf(bytes))) continue;
    const root = treeRoot(name, headOf(bytes));
    const tree = trees.get(root) ?? {};
    tree[relative(root, name)] = bytes;
    trees.set(root, tree);
  }
  return trees;
}
const treeOf = (folder: string): Tree => gather(folder).get('') ?? {};
const read = (tree: Tree, options: InputOptions = {}) => readSource(redfish, tree, { name: 'tree', ...options });
const one = (doc: object, options: InputOptions = {}) => read({ 'a.json': JSON.stringify(doc) }, options);
const docs = (list: readonly object[], options: InputOptions = {}) =>
  read(Object.fromEntries(list.map((doc, i) => [`${i}.json`, JSON.stringify(doc)])), options);
const values = (reading: Reading, metric: string, entity?: string) =>
  samplesOf(reading)
    .filter((s) => s.metric === metric && (entity === undefined || s.entity === entity))
    .map((s) => s.value);
const edges = (reading: Reading) => reading.rows.edge.map((row) => `${row.from_entity} ${row.kind} ${row.to_entity}`);

const v = (type: string) => `#${type}.v1_5_0.${type}`;
const system = (more: object = {}) => ({
  '@odata.id': '/redfish/v1/Systems/1',
  '@odata.type': v('ComputerSystem'),
  Id: '1',
  HostName: 'node-a',
  ...more,
});
const chassis = (more: object = {}) => ({
  '@odata.id': '/redfish/v1/Chassis/1',
  '@odata.type': v('Chassis'),
  Id: '1',
  Links: { ComputerSystems: [{ '@odata.id': '/redfish/v1/Systems/1' }] },
  ...more,
});
const power = (more: object) => ({
  '@odata.id': '/redfish/v1/Chassis/1/Power',
  '@odata.type': v('Power'),
  Id: 'Power',
  ...more,
});
const sensor = (id: string, more: object) => ({
  '@odata.id': `/redfish/v1/Chassis/1/Sensors/${id}`,
  '@odata.type': v('Sensor'),
  Id: id,
  Name: id,
  ...more,
});

describe('the recorded machines', () => {
  interface Expected {
    readonly tree: string;
    readonly watts: number | undefined;
    readonly capacity: number | undefined;
    /** Fitted and absent: supplies, fans. */
    readonly supplies: readonly [number, number];
    readonly fans: readonly [number, number];
  }
  const machines: readonly Expected[] = [
    { tree: 'dmtf-public-rackmount1', watts: 344, capacity: 800, supplies: [1, 1], fans: [6, 0] },
    { tree: 'infra-controller/dell_poweredge_r750', watts: 614, capacity: 6720, supplies: [2, 0], fans: [6, 0] },
    { tree: 'hpe-dl365-gen10plus', watts: 218, capacity: 3200, supplies: [2, 0], fans: [7, 0] },
    { tree: 'hpe-dl380a-slice', watts: 565, capacity: 8800, supplies: [4, 0], fans: [6, 0] },
    { tree: 'telegraf/hp', watts: 221, capacity: 1600, supplies: [2, 0], fans: [3, 0] },
    { tree: 'supermicro-gb300-nvl', watts: undefined, capacity: undefined, supplies: [0, 0], fans: [0, 0] },
    // It reports 0 W for a running machine.
    { tree: 'supermicro-x10sdv', watts: undefined, capacity: undefined, supplies: [0, 0], fans: [0, 4] },
  ];
  test.each(machines)('$tree', async ({ tree, watts, capacity, supplies, fans }) => {
    const root = sharedData('redfish');
    const trees = gather(root);
    const reading = await read(trees.get(tree) ?? {}, { name: tree });
    const totals = samplesOf(reading).filter((s) => s.metric === 'hw.power' && s.attributes['sensor'] === undefined);
    expect(totals.filter((s) => s.entity.startsWith('server:')).map((s) => s.value)).toEqual(
      watts === undefined ? [] : [watts],
    );
    const server = totals[0]?.entity;
    expect(values(reading, 'hw.power.capacity', server).slice(0, 1)).toEqual(capacity === undefined ? [] : [capacity]);
    const fitted = (kind: string) =>
      [1, 0].map(
        (state) =>
          samplesOf(reading).filter(
            (s) => s.metric === 'hw.present' && s.value === state && s.entity.startsWith(`${kind}:`),
          ).length,
      );
    expect([tree, fitted('psu'), fitted('cooling')]).toEqual([tree, supplies, fans]);
    // Only entries of logs that never had a time are rejected.
    expect(new Set(reasonsOf(reading)).size).toBeLessThanOrEqual(1);
  });

  test('a PSU of the Dell is reported by three resources and is one series', async () => {
    const root = sharedData('redfish/infra-controller/dell_poweredge_r750');
    const reading = await read(treeOf(root));
    expect(values(reading, 'hw.power.input', 'psu:CNIVC0014M0388/psu-PSU.Slot.1')).toEqual([303]);
    expect(values(reading, 'hw.power.output', 'psu:CNIVC0014M0388/psu-PSU.Slot.1')).toEqual([273]);
    expect(values(reading, 'hw.fan.speed')).toHaveLength(6);
    // A second Power resource is about a GPU and has null.
    expect(values(reading, 'hw.power').filter((watts) => watts === 0)).toEqual([]);
  });

  test('the GPUs of the GB300 by UUID, with their limits', async () => {
    const root = sharedData('redfish/supermicro-gb300-nvl');
    const reading = await read(treeOf(root));
    const gpu = 'gpu:GPU-ffd6582a-64de-b17e-ad24-af5a28aed641';
    const now = samplesOf(reading).filter((s) => s.entity === gpu && s.metric === 'hw.power');
    for (const { value } of now) expect(value).toBeCloseTo(231.9, -0.5);
    const limit = samplesOf(reading).find((s) => s.entity === gpu && s.metric === 'hw.power.limit');
    expect(limit).toMatchObject({ value: 1400, attributes: { allowable_min: 200, allowable_max: 1400 } });
    expect(edges(reading)).toContain(`server:S964512X5913271 contains ${gpu}`);
    expect(edges(reading).filter((edge) => edge.includes('/NVLink_'))).toHaveLength(72);
    // The chassis of modules name the system that they serve.
    expect(edges(reading).filter((edge) => /^(gpu|cpu):.* contains server:/.test(edge))).toEqual([]);
  });

  test('histories of one metric stay histories', async () => {
    const root = sharedData('redfish/hpe-dl380a-slice');
    const reading = await read(treeOf(root));
    const util = samplesOf(reading).filter((s) => s.metric === 'redfish.CPUUtil');
    expect(new Set(util.map((s) => s.time_ns)).size).toBe(util.length);
    // 336, 30, 180 and 288 values, some of which several reports hold.
    expect(util.length).toBeGreaterThan(700);
  });
});

describe('the tree', () => {
  const root = (path: string, id: string) => treeRoot(path, headOf(JSON.stringify({ '@odata.id': id })));
  test.each([
    ['site/a/redfish/v1/Chassis/1/Power/index.json', '/redfish/v1/Chassis/1/Power', 'site/a'],
    ['site/b/redfish/v1/index.json', '/redfish/v1/', 'site/b'],
    ['site/c/Chassis/1/index.json', '/redfish/v1/Chassis/1/', 'site/c'],
    ['site/c/index.json', '/redfish/v1', 'site/c'],
    ['site/d/v1/Systems/x/index.json', '/redfish/v1/Systems/x', 'site/d'],
    ['site/e/Systems/wrong/Memory/1/index.json', '/redfish/v1/Systems/right/Memory/1', 'site/e'],
    ['site/f/_redfish_v1_Chassis_1.json', '/redfish/v1/Chassis/1', 'site/f'],
    ['site/g/1/_redfish_v1_Systems_1.json', '/redfish/v1/Systems/1', 'site/g/1'],
    ['site/h/c047e385872467fa29fe50fb04a832d0.json', '/redfish/v1/Systems/1', 'site/h'],
    ['site/i/Chassis/1.json', '/redfish/v1/Chassis/1', 'site/i'],
  ])('%s of %s lies in %s', (path, id, expected) => expect(root(path, id)).toBe(expected));
  test('a file without an address is a separate data source', () => {
    expect(treeRoot('a/events.json', headOf('{"Events":[{"MessageId":"A.1.0.B"}]}'))).toBe('a/events.json');
  });

  test('the order of files does not matter, nor whether members are expanded', async () => {
    const tree = treeOf('fixtures/redfish/rackmount');
    const names = Object.keys(tree);
    const shuffled = Object.fromEntries(
      names.map((name, i) => [`${String(names.length - i).padStart(3, '0')}.json`, tree[name] as Uint8Array]),
    );
    const sorted = (reading: Reading) => reading.rows.point.map((row) => `${row.series} ${row.value}`).sort();
    const plain = await read(tree);
    expect(sorted(await read(shuffled))).toEqual(sorted(plain));
    const all = Object.values(tree).map((bytes) => JSON.parse(Buffer.from(bytes as Uint8Array).toString()) as object);
    const expanded = await one({ '@odata.id': '/redfish/v1/Everything', '@odata.type': v('Collection'), Members: all });
    expect(sorted(expanded)).toEqual(sorted(plain));
  });

  test('detection', () => {
    const claims = (value: unknown) => redfish.detect(headOf(JSON.stringify(value)));
    expect(claims(chassis())).toBe(true);
    expect(claims({ '@odata.type': v('Thermal'), Id: 'Thermal', Fans: [] })).toBe(true);
    expect(claims({ Events: [{ EventId: '1', MessageId: 'Base.1.0.Success' }] })).toBe(true);
    for (const other of [
      { '@odata.id': 'https://graph.example.org/users/1' },
      { '@odata.type': '#microsoft.graph.user', Id: '1' },
      { events: [{ device_id: 'x' }] },
      { Events: [{ EventId: 'e-1', EventType: 'Reboot', EventStatus: 'Scheduled' }] },
      { items: [] },
      [],
    ])
      expect(claims(other)).toBe(false);
  });
});

describe('names', () => {
  test('a server by its host name, its serial number, its tag, or its container', async () => {
    const id = async (more: object, options: InputOptions = {}) =>
      [...(await docs([system({ HostName: null, ...more }), chassis()], options)).entities.keys()].filter((key) =>
        key.startsWith('server:'),
      );
    expect(await id({ HostName: ' node-b ' })).toEqual(['server:node-b']);
    expect(await id({ SerialNumber: 'ABC123', SKU: 'PRODUCT-7' })).toEqual(['server:ABC123']);
    expect(await id({ SerialNumber: 'To be filled by O.E.M.', SKU: 'TAG77', Manufacturer: 'Dell Inc.' })).toEqual([
      'server:TAG77',
    ]);
    expect(await id({ SKU: 'PRODUCT-7' })).toEqual(['server:tree']);
    expect(await id({ SerialNumber: '00000000' }, { assume: { device: 'node-z' } })).toEqual(['server:node-z']);
  });

  test('a product’s SKU never joins two machines', async () => {
    const reading = await docs([system({ SerialNumber: 'ABC', SKU: 'P38578-B21', UUID: 'u-1', AssetTag: 'A-1' })]);
    expect(reading.entities.get('server:node-a')?.aliases).toEqual([
      'host_name=node-a',
      'asset_tag=ABC',
      'asset_tag=A-1',
      'host_id=u-1',
    ]);
  });

  test('a baseboard of GPUs is part of the server beside it', async () => {
    const reading = await read(treeOf('fixtures/redfish/hgx'));
    const gpu = 'gpu:GPU-0a8a6ff5-4f0c-4a43-9d3e-6f3b1c8c0001';
    expect([...reading.entities.keys()]).toEqual(['server:node-a', gpu]);
    expect(edges(reading)).toEqual([`server:node-a contains ${gpu}`]);
  });

  test('racks, supplies and fans are related', async () => {
    const reading = await read(treeOf('fixtures/redfish/rackmount'));
    for (const edge of [
      'rack:WEB43 contains server:web483',
      'server:web483 contains psu:web483/psu-Bay1',
      'psu:web483/psu-Bay1 feeds server:web483',
      'server:web483 contains cooling:web483/fan-CPU1',
    ])
      expect(edges(reading)).toContain(edge);
    expect(reading.rows.edge.every((row) => row.provenance === 'redfish links')).toBe(true);
  });
});

describe('quirks', () => {
  test('null, absent and not fitted are no readings, and 0 where something is fitted is one', async () => {
    const reading = await docs([
      system(),
      chassis(),
      {
        '@odata.id': '/redfish/v1/Chassis/1/Thermal',
        '@odata.type': v('Thermal'),
        Temperatures: [
          { Name: 'a', ReadingCelsius: 0, Status: { State: 'Absent' } },
          { Name: 'b', ReadingCelsius: null, Status: { State: 'Enabled' } },
          { Name: 'c', Status: { State: 'Enabled' } },
          { Name: 'd', ReadingCelsius: 0, Status: { State: 'Enabled' } },
          { Name: 'e', ReadingCelsius: 99, Status: { State: 'Disabled' } },
        ],
      },
    ]);
    expect(
      samplesOf(reading)
        .filter((s) => s.metric === 'hw.temperature')
        .map((s) => s.attributes['sensor']),
    ).toEqual(['d']);
  });

  test('the sensor of an empty slot is not unhealthy, independent of its Health', async () => {
    const health = async (State: string) =>
      values(
        await docs([
          system(),
          chassis(),
          sensor('S', { Reading: null, ReadingType: 'Temperature', Status: { State, Health: 'Critical' } }),
        ]),
        'hw.status',
      );
    expect(await health('Absent')).toEqual([]);
    expect(await health('Enabled')).toEqual([2]);
  });

  test('0 W of a machine that runs is not reported; of one that is off it is', async () => {
    const control = power({ PowerControl: [{ MemberId: '0', PowerConsumedWatts: 0 }] });
    expect(values(await docs([system({ PowerState: 'On' }), chassis(), control]), 'hw.power')).toEqual([]);
    expect(values(await docs([system({ PowerState: 'Off' }), chassis(), control]), 'hw.power')).toEqual([0]);
  });

  test('members of PowerControl are separate series, never a sum', async () => {
    const reading = await docs([
      system(),
      chassis(),
      power({
        PowerControl: [
          { Name: 'Server', PowerConsumedWatts: 400 },
          { Name: 'GPUs', PowerConsumedWatts: 300 },
          { MemberId: '2', PowerConsumedWatts: 400 },
        ],
      }),
    ]);
    expect(
      samplesOf(reading)
        .filter((s) => s.metric === 'hw.power')
        .map((s) => [s.value, s.attributes['control']]),
    ).toEqual([
      [400, 'Server'],
      [300, 'GPUs'],
      [400, '2'],
    ]);
  });

  test('an input power that is a rating is no reading', async () => {
    const supply = (more: object) =>
      power({ PowerSupplies: [{ MemberId: '0', PowerCapacityWatts: 750, ...more, Status: { State: 'Enabled' } }] });
    const rated = await docs([system(), chassis(), supply({ PowerInputWatts: 900, PowerOutputWatts: 203 })]);
    expect(values(rated, 'hw.power.input')).toEqual([]);
    expect(values(rated, 'redfish.PowerInputWatts')).toEqual([900]);
    expect(values(rated, 'hw.power.output')).toEqual([203]);
    const full = await docs([system(), chassis(), supply({ PowerInputWatts: 790, PowerOutputWatts: 740 })]);
    expect(values(full, 'hw.power.input')).toEqual([790]);
    const backwards = await docs([system(), chassis(), supply({ PowerInputWatts: 100, PowerOutputWatts: 203 })]);
    expect(values(backwards, 'hw.power.input')).toEqual([]);
  });

  test('the last known output is marked as such, and left out when it never was', async () => {
    const supply = (LastPowerOutputWatts: number | null) =>
      power({ PowerSupplies: [{ MemberId: '0', LastPowerOutputWatts, PowerOutputWatts: null }] });
    const known = await docs([system(), chassis(), supply(106)]);
    expect(samplesOf(known).find((s) => s.metric === 'hw.power.output')).toMatchObject({
      value: 106,
      attributes: { reading: 'last' },
    });
    for (const nothing of [0, null])
      expect(values(await docs([system(), chassis(), supply(nothing)]), 'hw.power.output')).toEqual([]);
  });

  test('clocks that were never set do not count', async () => {
    const at = async (ReadingTime: unknown, manager: object[] = []) =>
      samplesOf(
        await docs([
          system(),
          chassis(),
          sensor('T', { Reading: 20, ReadingType: 'Temperature', ReadingTime }),
          ...manager,
        ]),
      ).find((s) => s.metric === 'hw.temperature')?.time_ns;
    const manager = (DateTime: string) => ({
      '@odata.id': '/redfish/v1/Managers/1',
      '@odata.type': v('Manager'),
      Id: '1',
      DateTime,
    });
    expect(await at('1970-01-01T00:00:00.000+00:00')).toBe(CAPTURED_NS);
    expect(await at('2026-01-01T10:00:00+01:00')).toBe(1767258000000000000n);
    expect(await at(undefined, [manager('2026-01-01T12:00:00Z')])).toBe(1767268800000000000n);
    expect(await at(undefined, [manager('1970-01-01T00:12:00Z')])).toBe(CAPTURED_NS);
  });

  test('fans in percent and in turns, whatever the member is called', async () => {
    const reading = await docs([
      system(),
      chassis(),
      {
        '@odata.id': '/redfish/v1/Chassis/1/Thermal',
        '@odata.type': v('Thermal'),
        Fans: [
          { Name: 'Fan 1', Reading: 21, ReadingUnits: 'Percent' },
          { FanName: 'Fan 2', Reading: 9800, ReadingUnits: 'RPM' },
          { Name: 'Fan 3', Reading: 9900 },
        ],
      },
      sensor('FAN_4_PWM', { Reading: 40, ReadingType: 'Percent', ReadingUnits: '%' }),
      {
        '@odata.id': '/redfish/v1/Chassis/1/EnvironmentMetrics',
        '@odata.type': v('EnvironmentMetrics'),
        FanSpeedsPercent: [
          { DataSourceUri: '/redfish/v1/Chassis/1/Sensors/FAN_4_PWM', DeviceName: 'FAN_4_PWM', SpeedRPM: 40 },
          { DeviceName: 'FAN_5_FRONT', Reading: 11702 },
          { DeviceName: 'FAN_5_PWM', SpeedRPM: 44.5 },
        ],
      },
    ]);
    expect(values(reading, 'hw.fan.speed_ratio').sort()).toEqual([21, 40, 44.5]);
    expect(values(reading, 'hw.fan.speed').sort()).toEqual([11702, 9800, 9900]);
  });

  test('a type takes precedence over its unit', async () => {
    const reading = await docs([
      system(),
      chassis(),
      sensor('a', { Reading: 5, ReadingType: 'Current', ReadingUnits: 'Watts' }),
      sensor('b', { Reading: 31, ReadingType: 'Temperature', ReadingUnits: 'C' }),
      sensor('c', { Reading: 100, ReadingType: 'AirFlow', ReadingUnits: 'RPM' }),
      sensor('d', { Reading: 7, ReadingType: 'EnergykWh', ReadingUnits: 'kW.h' }),
      sensor('e', { Reading: 12, ReadingUnits: 'V' }),
      sensor('f', { Reading: '3.5', ReadingType: 'Power', ReadingUnits: '' }),
      sensor('g', {
        Reading: 0.23,
        ReadingType: 'Voltage',
        ReadingUnits: 'kV',
        Thresholds: { UpperCaution: { Reading: 0.25 } },
      }),
      sensor('h', { Reading: 11, ReadingUnits: 'kW' }),
    ]);
    const by = (name: string) => samplesOf(reading).find((s) => s.attributes['sensor'] === name);
    expect(by('a')).toMatchObject({ metric: 'hw.current', value: 5, attributes: { recorded_unit: 'Watts' } });
    expect(by('b')).toMatchObject({ metric: 'hw.temperature', value: 31 });
    expect(by('c')).toMatchObject({ metric: 'hw.airflow', unit: 'm3/h', value: 169.901 });
    expect(by('d')).toMatchObject({ metric: 'hw.energy', unit: 'J', value: 25_200_000 });
    expect(by('e')).toMatchObject({ metric: 'hw.voltage', value: 12 });
    expect(by('f')).toMatchObject({ metric: 'hw.power', value: 3.5 });
    expect(by('g')).toMatchObject({ metric: 'hw.voltage', unit: 'V', value: 230, attributes: { upper_warning: 250 } });
    expect(by('h')).toMatchObject({ metric: 'hw.power', unit: 'W', value: 11_000 });
    expect(reading.remarks.join()).toContain('Current in "Watts"');
  });

  test.each([
    ['PT0.0S', 0],
    ['P1DT2H3M4.5S', 93784.5],
    ['P6DT23H36M51.224568128S', 603411.224568128],
    ['-PT5S', -5],
    ['5s', undefined],
    ['P', undefined],
    [7, undefined],
  ])('the duration %s', (text, seconds) => expect(durationOf(text)).toBe(seconds));

  test('numbers as texts', () => {
    expect(['12.500000', ' 7 ', 'NaN', 'nan', '', 'OK', null, Number.NaN, '1e999'].map(numberOf)).toEqual([
      12.5,
      7,
      Number.NaN,
      Number.NaN,
      undefined,
      undefined,
      undefined,
      undefined,
      Infinity,
    ]);
  });

  test('limits go to the attributes; all zero means none', async () => {
    const reading = await read(treeOf('fixtures/redfish/rackmount'));
    const temperature = samplesOf(reading).find((s) => s.entity === 'cpu:web483/CPU1' && s.metric === 'hw.temperature');
    expect(temperature).toMatchObject({ attributes: { upper_warning: 42, upper_critical: 45 } });
    const none = await docs([
      system(),
      chassis(),
      power({ Voltages: [{ Name: 'V', ReadingVolts: 12, UpperThresholdCritical: 0, LowerThresholdCritical: 0 }] }),
    ]);
    expect(samplesOf(none).find((s) => s.metric === 'hw.voltage')?.attributes).toEqual({ sensor: 'V' });
  });
});

describe('GPU', () => {
  const gpu = 'gpu:GPU-0a8a6ff5-4f0c-4a43-9d3e-6f3b1c8c0001';
  test('metrics, durations, throttle reasons, reports', async () => {
    const reading = await read(treeOf('fixtures/redfish/hgx'));
    const now = (metric: string) =>
      samplesOf(reading).filter((s) => s.entity === gpu && s.metric === metric && s.time_ns === CAPTURED_NS);
    expect(now('hw.power').map((s) => s.value)).toEqual([232.1]);
    expect(now('hw.power.limit')).toMatchObject([
      { value: 1200, attributes: { allowable_min: 200, allowable_max: 1400 } },
    ]);
    expect(now('hw.energy').map((s) => s.value)).toEqual([1000.5]);
    expect(now('hw.gpu.clock.sm').map((s) => s.value)).toEqual([1395]);
    expect(now('hw.gpu.throttle.power').map((s) => s.value)).toEqual([93784.5]);
    expect(now('hw.gpu.clocks_event_reasons')).toMatchObject([{ value: 0x84, attributes: { hw: 'moon_phase' } }]);
    expect(now('hw.nvlink.receive').map((s) => s.value)).toEqual([1e9]);
    expect(now('redfish.SMActivityPercent').map((s) => s.value)).toEqual([Number.NaN]);
    const history = samplesOf(reading).filter((s) => s.time_ns !== CAPTURED_NS);
    expect(history.map((s) => [s.entity, s.metric, s.value])).toEqual([
      [gpu, 'hw.power', 233.5],
      [gpu, 'hw.power', Number.NaN],
      [gpu, 'hw.gpu.throttle.thermal', 60.5],
      ['server:node-a', 'redfish.CPUUtil', 17],
    ]);
    expect(history[0]?.attributes).toEqual(now('hw.power')[0]?.attributes);
    expect(reading.remarks.join()).toContain('stale');
  });

  test('an Xid log is about its GPU', async () => {
    const reading = await read(treeOf('fixtures/redfish/hgx'));
    expect(reading.rows.event).toMatchObject([
      {
        entity: gpu,
        type: 'xid_error',
        severity: 0,
        original_id: '/redfish/v1/Chassis/HGX_GPU_0/LogServices/XID/Entries/1',
      },
    ]);
    expect(JSON.parse(reading.rows.event[0]?.attributes as string)).toMatchObject({ xid: 79 });
  });
});

describe('events', () => {
  const entry = (more: object) => ({
    '@odata.id': '/redfish/v1/Systems/1/LogServices/SEL/Entries/1',
    '@odata.type': v('LogEntry'),
    Id: '1',
    Created: '2026-01-01T10:00:00Z',
    ...more,
  });
  test.each([
    [{ Message: 'Power supply 1 lost its input', Severity: 'Critical' }, 'psu_failure', 0],
    [{ MessageId: 'iLOEvents.2.3.PowerSupplyFailed', Message: 'x', Severity: 'Warning' }, 'psu_failure', 2],
    [{ Message: 'The power supply PS1 is operating normally: redundancy restored', Severity: 'OK' }, 'psu_restored', 3],
    [{ MessageId: 'iLOResourceEvents.1.3.FansHealthOk', Severity: 'OK' }, 'fan_restored', 3],
    [{ Message: 'Pump 2 has failed.', Severity: 'Critical' }, 'cooling_failure', 0],
    [{ Message: 'A runtime critical stop occurred.', Severity: 'Critical' }, 'host_degradation', 0],
    [{ Message: 'The OS watchdog timer expired.', Severity: 'Critical' }, 'host_degradation', 0],
    [{ Message: 'The system has lost AC power.', Severity: 'Warning' }, 'psu_failure', 2],
    [{ Message: 'System AC power lost', Severity: 'Critical' }, 'psu_failure', 0],
    [{ Message: 'Coolant flow is below its lower critical threshold.', Severity: 'Critical' }, 'coolant_flow_low', 0],
    [{ Message: 'Circuit breaker B has tripped.', Severity: 'Critical' }, 'breaker_trip', 0],
    [{ Message: 'Outlet 3 turned off.', Severity: 'Warning' }, 'outlet_off', 2],
    [{ MessageId: 'IDRAC.2.8.SYS1000', Message: 'System is turning on.', Severity: 'OK' }, 'host_rebooted', 3],
    [
      { MessageId: 'IDRAC.2.8.PWR1005', Message: 'The system performance restored.', Severity: 'OK' },
      'power_cap_removed',
      3,
    ],
    [
      { SensorType: 'Fan', Message: 'Lower critical - going low', EntryCode: 'Assert', Severity: 'Critical' },
      'fan_failure',
      0,
    ],
    [
      { SensorType: 'Temperature', Message: 'Temperature threshold exceeded', Severity: 'Critical' },
      'temperature_high',
      0,
    ],
    [
      { SensorType: 'Temperature', Message: 'Upper critical', EntryCode: 'Deassert', Severity: 'OK' },
      'temperature_restored',
      3,
    ],
    [{ SensorType: 'Voltage', Message: 'Lower Critical - going low', Severity: 'Warning' }, 'voltage_sag', 2],
    [{ SensorType: 'Voltage', Message: 'Upper Critical - going high', Severity: 'Warning' }, 'voltage_swell', 2],
    [{ Message: 'Leak detected at manifold', Severity: 'Critical' }, 'coolant_leak', 0],
    [{ SensorType: 'Memory', Message: '[ OEM ] Correctable ECC @DIMMB1' }, 'memory_error', 2],
    [{ MessageId: 'StorageDevice.1.3.PredictiveFailure', Message: 'Drive 3', Severity: 'Warning' }, 'drive_failure', 2],
    [{ Message: 'Fault detected on drive 0 in disk drive bay 1.', Severity: 'Critical' }, 'drive_failure', 0],
    [
      { Message: 'Slot=1 Storage - Volume 1 degraded: RAID array lost a member', Severity: 'Warning' },
      'drive_failure',
      2,
    ],
    [{ Message: 'Drive 3 has failed: the array is no longer redundant', Severity: 'Warning' }, 'drive_failure', 2],
    [
      { SensorType: 'Temperature', Message: 'An over-temperature condition is present', Severity: 'Critical' },
      'temperature_high',
      0,
    ],
    [
      { Message: 'The memory installed in slot A1 has an uncorrectable ECC error', Severity: 'Critical' },
      'memory_error',
      0,
    ],
    [{ Message: 'The supplies are no longer redundant: power supply 2 failed', Severity: 'Warning' }, 'psu_failure', 2],
    [{ Message: 'Thermal limits is not responsive for Slot 1', Severity: 'Warning' }, 'bmc_event', 2],
    [{ Message: 'Unable to read the inlet temperature sensor: limit unknown', Severity: 'Critical' }, 'bmc_event', 0],
    [{ SensorType: 'Drive Slot / Bay', Message: 'Drive Present', EntryCode: 'Assert', Severity: 'OK' }, 'bmc_event', 3],
    [{ MessageId: 'x.DriveOfflineCleared', Message: 'from /redfish/v1/Chassis/1/Drives/4' }, 'bmc_event', 3],
    [{ Message: 'Drive at Port 4I Box 1 Bay 2 status changed to Erasing completed' }, 'bmc_event', 3],
    [{ Message: 'Server reset.', Severity: 'Warning' }, 'host_rebooted', 2],
    [{ Message: 'Browser login: admin', Severity: 'OK' }, 'bmc_event', 3],
    [{ Message: 'Something odd' }, 'bmc_event', 3],
  ])('%j is %s', async (more, type, severity) => {
    expect((await docs([system(), entry(more)])).rows.event).toMatchObject([
      { type, severity, entity: 'server:node-a', origin: 'redfish' },
    ]);
  });

  test('what an entry is about', async () => {
    const supply = {
      '@odata.id': '/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/B',
      '@odata.type': v('PowerSupply'),
      Id: 'B',
    };
    const old = power({ PowerSupplies: [{ MemberId: '0' }] });
    for (const origin of [
      '/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/B',
      '/redfish/v1/Chassis/1/Power#/PowerSupplies/0',
      '/redfish/v1/Chassis/1/Power#PowerSupplies/0',
    ]) {
      const reading = await docs([
        system(),
        chassis(),
        supply,
        old,
        entry({ Message: 'x', Links: { OriginOfCondition: { '@odata.id': origin } } }),
      ]);
      expect(reading.rows.event[0]?.entity).toBe('psu:node-a/psu-B');
    }
  });

  test('times without zone or seconds are read, times that never were are rejects', async () => {
    const entryWithoutZone = await docs([system(), entry({ Created: '2012-03-07T14:45', Message: 'x' })], {
      assume: { zone: '+01:00' },
    });
    expect(entryWithoutZone.rows.event[0]?.time_ns).toBe(1331127900000000000n);
    for (const Created of ['0000-00-00T00:00:00Z', '1970-01-01T00:00:00Z', 'yesterday', null, 5]) {
      const never = await docs([system(), entry({ Created, Message: 'x' })]);
      expect(countsOf(never)['event']).toBeUndefined();
      expect(reasonsOf(never)).toEqual(['a log entry without a usable time']);
    }
  });

  test('an entry that a collection repeats is one event, and nothing of it is lost', async () => {
    const single = entry({ Message: 'm', Severity: 'OK', SensorNumber: 7, Oem: { Hpe: { Class: 35 } } });
    const collection = {
      '@odata.id': '/redfish/v1/Systems/1/LogServices/SEL/Entries',
      '@odata.type': '#LogEntryCollection.LogEntryCollection',
      Members: [single],
    };
    const reading = await docs([system(), collection, single]);
    expect(reading.rows.event).toHaveLength(1);
    expect(JSON.parse(reading.rows.event[0]?.attributes as string)).toMatchObject({
      SensorNumber: 7,
      Oem: { Hpe: { Class: 35 } },
    });
    expect(JSON.parse(reading.rows.event[0]?.raw as string)).toEqual(single);
  });

  test('what an EventService sent, without any tree', async () => {
    const text = readFileSync('fixtures/redfish/events/subscription.jsonl', 'utf8');
    const reading = await read({ 'subscription.jsonl': text }, { assume: { device: 'node-a' } });
    expect(reading.rows.event.map((row) => [row.entity, row.type, row.severity, row.original_id])).toEqual([
      ['psu:node-a/psu-PS2', 'psu_failure', 0, '812'],
      ['cooling:node-a/fan-4', 'fan_failure', 0, '813'],
      ['psu:node-a/psu-PS2', 'psu_restored', 3, '814'],
    ]);
  });
});

describe('leaks and power equipment', () => {
  test('a leak detector that sees a leak is an event', async () => {
    const detector = (DetectorState: string) => ({
      '@odata.id': '/redfish/v1/Chassis/1/ThermalSubsystem/LeakDetection/LeakDetectors/M',
      '@odata.type': v('LeakDetector'),
      Id: 'M',
      DetectorState,
    });
    expect((await docs([system(), chassis(), detector('LeakDetected')])).rows.event).toMatchObject([
      { type: 'coolant_leak', severity: 0, entity: 'server:node-a' },
    ]);
    const dry = await docs([system(), chassis(), detector('OK')]);
    expect(dry.rows.event).toEqual([]);
    expect(samplesOf(dry).find((s) => s.attributes['leak_detector'] === 'M')?.value).toBe(0);
  });

  test('a power shelf: sensors that are called after a supply are the supply’s', async () => {
    const reading = await read(treeOf('fixtures/redfish/powershelf'), { assume: { device: 'shelf-1' } });
    expect(values(reading, 'hw.power.input', 'psu:shelf-1/psu-1')).toEqual([341]);
    expect(values(reading, 'hw.power.output', 'psu:shelf-1/psu-1')).toEqual([326]);
    expect(edges(reading)).toContain('pdu:shelf-1 contains psu:shelf-1/psu-6');
    expect(edges(reading).filter((edge) => edge.includes(' feeds '))).toEqual([]);
  });

  test('a PDU: outlets, circuits and feeds links', async () => {
    const at = (path: string) => `/redfish/v1/PowerEquipment/RackPDUs/1${path}`;
    const reading = await docs([
      {
        '@odata.id': at(''),
        '@odata.type': v('PowerDistribution'),
        Id: '1',
        SerialNumber: 'PDU77',
        Status: { State: 'Enabled', Health: 'OK' },
      },
      {
        '@odata.id': at('/Branches/A'),
        '@odata.type': v('Circuit'),
        Id: 'A',
        BreakerState: 'Tripped',
        Links: { Outlets: [{ '@odata.id': at('/Outlets/A1') }] },
      },
      {
        '@odata.id': at('/Outlets/A1'),
        '@odata.type': v('Outlet'),
        Id: 'A1',
        PowerState: 'On',
        PowerWatts: { Reading: 412, ApparentVA: 420, PowerFactor: 0.98 },
        CurrentAmps: { Reading: 1.8 },
        EnergykWh: { Reading: 2 },
        Links: { BranchCircuit: { '@odata.id': at('/Branches/A') } },
      },
      { '@odata.id': at('/Metrics'), '@odata.type': v('PowerDistributionMetrics'), PowerWatts: { Reading: 6438 } },
    ]);
    const outlet = 'outlet:PDU77/outlet-A1';
    expect(values(reading, 'hw.power', outlet)).toEqual([412]);
    expect(values(reading, 'hw.power.apparent', outlet)).toEqual([420]);
    expect(values(reading, 'hw.energy', outlet)).toEqual([7_200_000]);
    expect(values(reading, 'hw.outlet.state', outlet)).toEqual([1]);
    expect(values(reading, 'hw.outlet.state', 'breaker:PDU77/branches-A')).toEqual([0]);
    expect(values(reading, 'hw.power', 'pdu:PDU77')).toEqual([6438]);
    expect(edges(reading)).toEqual([
      'pdu:PDU77 contains breaker:PDU77/branches-A',
      'breaker:PDU77/branches-A feeds outlet:PDU77/outlet-A1',
      'pdu:PDU77 contains outlet:PDU77/outlet-A1',
    ]);
  });
});

describe('hostile input', () => {
  test.each([
    ['wrong types everywhere', chassis({ Links: 'x', Status: [], SerialNumber: {}, Location: 5 })],
    [
      'loops',
      chassis({
        Links: {
          ContainedBy: { '@odata.id': '/redfish/v1/Chassis/1' },
          Contains: [{ '@odata.id': '/redfish/v1/Chassis/1' }],
        },
      }),
    ],
    [
      'lists where objects belong',
      power({
        PowerControl: [null, 5, 'x', [], { PowerConsumedWatts: {} }],
        PowerSupplies: 'none',
        Voltages: [{ ReadingVolts: '1e400' }],
      }),
    ],
    [
      'prototype names',
      {
        '@odata.id': '/redfish/v1/__proto__/constructor',
        '@odata.type': '#toString.v1_0_0.constructor',
        Id: 'hasOwnProperty',
        Status: { Health: 'constructor', State: '__proto__' },
      },
    ],
    [
      'an odd processor',
      {
        '@odata.id': '/redfish/v1/Systems/1/Processors/GPU_0',
        '@odata.type': v('Processor'),
        ProcessorType: 'GPU',
        UUID: 7,
        Status: null,
      },
    ],
  ])('%s', async (_, doc) => {
    const reading = await docs([system(), doc]);
    // A number beyond all numbers is no voltage.
    expect(reasonsOf(reading).filter((reason) => reason !== 'no hw.voltage is beyond -1500 to 1500')).toEqual([]);
  });

  test('broken files are rejects beside those that are whole', async () => {
    const reading = await read({
      'a.json': JSON.stringify(system()),
      'b.json': '{"@odata.id": "/redfish/v1/Chassis/1", ',
      'c.json': '[1, "x"]',
    });
    expect(reading.entities.has('server:node-a')).toBe(true);
    expect(reading.rows.reject.map((row) => row.file)).toEqual(['b.json', 'c.json', 'c.json']);
  });

  test('deep nesting', async () => {
    let doc: object = {};
    for (let i = 0; i < 3000; i++) doc = { Oem: doc };
    const reading = await docs([
      system(),
      { '@odata.id': '/redfish/v1/Chassis/1/Sensors/X', '@odata.type': v('ProcessorMetrics'), Oem: doc },
    ]);
    expect(reading.entities.has('server:node-a')).toBe(true);
  });
});
