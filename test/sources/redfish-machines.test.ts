import { describe, expect, test } from 'vitest';
import { redfish } from '../../src/main/sources/redfish/index.ts';
import { type Reading, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { board, link, rackTree, rackWatts, resource } from '../support/redfish-rack.ts';
import type { Doc } from '../support/redfish-service.ts';

const read = (docs: readonly Doc[]) =>
  readSource(redfish, Object.fromEntries(docs.map((doc, i) => [`${i}.json`, JSON.stringify(doc)])), { name: 'tree' });
const of = (reading: Reading, metric: string) =>
  samplesOf(reading)
    .filter((s) => s.metric === metric)
    .map((s) => [s.entity, s.value, s.attributes] as const);
const edges = (reading: Reading) => reading.rows.edge.map((row) => `${row.from_entity} ${row.kind} ${row.to_entity}`);
const owner = (reading: Reading) => reading.rows.event.map(({ entity }) => entity);
const entry = (path: string, more: Doc = {}) =>
  resource(path, 'LogEntry', { Created: '2026-01-01T10:00:00Z', Message: 'something odd', ...more });

const system = (id: string, more: Doc = {}) => resource(`Systems/${id}`, 'ComputerSystem', more);
const ofSystem = (id: string) => ({ Links: { ComputerSystems: [link(`/redfish/v1/Systems/${id}`)] } });

describe('several chassis', () => {
  test('with their own serial numbers are separate machines, each with its power, temperature and PSUs', async () => {
    const reading = await read(rackTree());
    const entity = (serial: string) => `${serial.startsWith('Rack') ? 'rack' : 'server'}:${serial}`;
    expect(of(reading, 'hw.power').map(([who, watts]) => [who, watts])).toEqual(
      expect.arrayContaining(Object.entries(rackWatts).map(([serial, watts]) => [entity(serial), watts])),
    );
    expect(of(reading, 'hw.power')).toHaveLength(4);
    expect(of(reading, 'hw.temperature').map(([who, celsius]) => [who, celsius])).toEqual([
      ['server:SledA1', 25],
      ['server:SledA2', 26],
      ['server:SledA3', 27],
      ['rack:RackA', 21],
    ]);
    expect(new Set(of(reading, 'hw.power.input').map(([who]) => who)).size).toBe(8);
    for (const sled of ['SledA1', 'SledA2', 'SledA3'])
      expect(edges(reading)).toEqual(
        expect.arrayContaining([`rack:RackA contains server:${sled}`, `psu:${sled}/psu-0 feeds server:${sled}`]),
      );
    expect(reasonsOf(reading)).toEqual([]);
  });

  test('in a rack that has a name: the rack and the machines in it use the same name', async () => {
    const placed = { Location: { Placement: { Rack: 'R12' } } };
    const docs = rackTree().map((doc) =>
      /\/Chassis\/(Rack|A1)$/.test(String(doc['@odata.id'])) ? { ...doc, ...placed } : doc,
    );
    const reading = await read(docs);
    expect(of(reading, 'hw.power').map(([who]) => who)).toContain('rack:R12');
    expect(reading.entities.get('rack:R12')?.aliases).toEqual(['asset_tag=RackA']);
    expect(
      edges(reading)
        .filter((edge) => / contains server:/.test(edge))
        .sort(),
    ).toEqual(['SledA1', 'SledA2', 'SledA3'].map((sled) => `rack:R12 contains server:${sled}`));
  });

  test('of several systems: an enclosure that names two nodes is neither, its power is its own, and it contains them', async () => {
    const both = { ComputerSystems: ['N1', 'N2'].map((id) => link(`/redfish/v1/Systems/${id}`)) };
    const reading = await read([
      system('N1', { HostName: 'node-1', SerialNumber: 'S1' }),
      system('N2', { HostName: 'node-2', SerialNumber: 'S2' }),
      ...board('Twin', { ChassisType: 'Enclosure', SerialNumber: 'TW1', Links: both }, { watts: 900, celsius: 20 }),
      ...board('1', { ChassisType: 'Sled', ...ofSystem('N1') }, { watts: 400, celsius: 30 }),
      ...board('2', { ChassisType: 'Sled', ...ofSystem('N2') }, { watts: 410, celsius: 31 }),
    ]);
    expect(of(reading, 'hw.power').map(([who, watts]) => [who, watts])).toEqual([
      ['server:node-1', 400],
      ['server:node-2', 410],
      ['server:TW1', 900],
    ]);
    expect(edges(reading)).toEqual(
      expect.arrayContaining(['server:TW1 contains server:node-1', 'server:TW1 contains server:node-2']),
    );
  });

  test('of one system are not split: boards, a GPU baseboard, parts with and without serial numbers', async () => {
    const inHost = { ContainedBy: link('/redfish/v1/Chassis/Host') };
    const reading = await read([
      system('S', { HostName: 'node-a', SerialNumber: 'SYS1', Links: { Chassis: [link('/redfish/v1/Chassis/Host')] } }),
      system('HGX_Baseboard_0', { SerialNumber: 'BB1' }),
      // Named by its system, with the serial number of its box.
      ...board('Host', { ChassisType: 'RackMount', SerialNumber: 'BOX1' }, { watts: 2000, celsius: 22 }),
      ...board(
        'HGX',
        { ChassisType: 'Module', SerialNumber: 'BB1', ...ofSystem('HGX_Baseboard_0') },
        { watts: 1400, celsius: 33 },
      ),
      ...board('Riser', { ChassisType: 'Card', SerialNumber: 'R1', Links: inHost }, { watts: 40, celsius: 34 }),
      ...board('HGX_Chassis_0', { SerialNumber: 'BB2' }, { watts: 1300, celsius: 36 }),
      ...board('Bay', { ChassisType: 'StorageEnclosure', Links: inHost }, { watts: 60, celsius: 35 }),
    ]);
    expect([...reading.entities.keys()].filter((key) => /^(server|rack|device|pdu):/.test(key))).toEqual([
      'server:node-a',
    ]);
    // Each board's readings in the same words stay series of their own.
    expect(of(reading, 'hw.power').map(([, watts, { chassis }]) => [chassis, watts])).toEqual([
      ['Bay', 60],
      ['HGX_Chassis_0', 1300],
      ['HGX', 1400],
      ['Host', 2000],
      ['Riser', 40],
    ]);
    expect(of(reading, 'hw.temperature').map(([, celsius, { chassis }]) => [chassis, celsius])).toEqual([
      ['Bay', 35],
      ['HGX_Chassis_0', 36],
      ['HGX', 33],
      ['Host', 22],
      ['Riser', 34],
    ]);
    // Ten supplies, though each board calls its own 0 and 1.
    expect(new Set(of(reading, 'hw.power.input').map(([who]) => who)).size).toBe(10);
  });

  test('that name a system which a crawl left out are one machine', async () => {
    const reading = await read([
      ...board('Main', { SerialNumber: 'X1', ...ofSystem('437') }, { watts: 500, celsius: 20 }),
      ...board('Module', { ChassisType: 'Module', SerialNumber: 'X2', ...ofSystem('437') }, { watts: 90, celsius: 30 }),
      ...board('Other', { SerialNumber: 'Y1', ...ofSystem('438') }, { watts: 501, celsius: 21 }),
    ]);
    expect(of(reading, 'hw.power').map(([who, watts, { chassis }]) => [who, watts, chassis])).toEqual([
      ['server:X1', 500, 'Main'],
      ['server:X1', 90, 'Module'],
      ['server:Y1', 501, undefined],
    ]);
  });

  test('one system and one chassis that name each other nowhere are one machine, whatever serial numbers they have', async () => {
    const reading = await read([
      system('1', { SerialNumber: 'SYS1' }),
      ...board('1', { ChassisType: 'RackMount', SerialNumber: 'BOX1' }, { watts: 500, celsius: 20 }),
    ]);
    expect(of(reading, 'hw.power').map(([who]) => who)).toEqual(['server:SYS1']);
  });

  test('two systems that were installed from one image stay two', async () => {
    const reading = await read([
      system('1', { HostName: 'ubuntu', SerialNumber: 'S1' }),
      system('2', { HostName: 'ubuntu', SerialNumber: 'S2' }),
      ...board('1', ofSystem('1'), { watts: 500, celsius: 20 }),
      ...board('2', ofSystem('2'), { watts: 600, celsius: 21 }),
    ]);
    expect(of(reading, 'hw.power').map(([who, watts]) => [who, watts])).toEqual([
      ['server:ubuntu', 500],
      ['server:S2', 600],
    ]);
    expect(reading.remarks.join('\n')).toMatch(/several systems are called "ubuntu"/);
  });

  test('0 W of a running node is no reading, even if another node is off', async () => {
    const reading = await read([
      system('1', { HostName: 'node-1', PowerState: 'On' }),
      system('2', { HostName: 'node-2', PowerState: 'Off' }),
      ...board('1', ofSystem('1'), { watts: 0, celsius: 20 }),
      ...board('2', ofSystem('2'), { watts: 0, celsius: 21 }),
    ]);
    expect(of(reading, 'hw.power').map(([who, watts]) => [who, watts])).toEqual([['server:node-2', 0]]);
  });
});

test('a chassis that is a separate machine besides a system has a status, and may be named by its asset tag', async () => {
  const Status = { State: 'Enabled', Health: 'Critical' };
  const reading = await read([
    system('1', { HostName: 'node-a', Status: { State: 'Enabled', Health: 'OK' } }),
    ...board('1', { ...ofSystem('1'), Status }, { watts: 300, celsius: 20 }),
    ...board('Jbod', { ChassisType: 'StandAlone', AssetTag: 'JB-7', Status }, { watts: 90, celsius: 21 }),
  ]);
  expect(
    of(reading, 'hw.status')
      .filter(([who]) => who.startsWith('server:'))
      .map(([who, value]) => [who, value]),
  ).toEqual([
    ['server:node-a', 0],
    ['server:JB-7', 2],
  ]);
  expect(of(reading, 'hw.power').map(([who, watts]) => [who, watts])).toEqual([
    ['server:node-a', 300],
    ['server:JB-7', 90],
  ]);
});

describe('what points into another chassis', () => {
  const sensor = (chassis: string, id: string, more: Doc) =>
    resource(`Chassis/${chassis}/Sensors/${id}`, 'Sensor', {
      ReadingType: 'Temperature',
      ReadingUnits: 'Cel',
      Name: 'Outlet',
      ...more,
    });

  test('sensors, environment and subsystems of each are its own; one that a rack shows for a sled is the sled’s', async () => {
    const own = (chassis: string, watts: number) => [
      sensor(chassis, 'Outlet', { Reading: watts / 10 }),
      resource(`Chassis/${chassis}/EnvironmentMetrics`, 'EnvironmentMetrics', {
        HumidityPercent: { Reading: watts / 20 },
        PowerLimitWatts: { SetPoint: watts * 2 },
      }),
      resource(`Chassis/${chassis}/PowerSubsystem`, 'PowerSubsystem', { CapacityWatts: watts * 3 }),
      resource(`Chassis/${chassis}/ThermalSubsystem/ThermalMetrics`, 'ThermalMetrics', {
        TemperatureSummaryCelsius: { Exhaust: { Reading: watts / 11 } },
      }),
    ];
    const reading = await read([
      ...rackTree(),
      ...own('A1', 310),
      ...own('A2', 420),
      sensor('Rack', 'Sled3', { Reading: 39, RelatedItem: [link('/redfish/v1/Chassis/A3')] }),
    ]);
    expect(of(reading, 'hw.humidity').map(([who, value]) => [who, value])).toEqual([
      ['server:SledA1', 15.5],
      ['server:SledA2', 21],
    ]);
    expect(of(reading, 'hw.power.limit').map(([who, value]) => [who, value])).toEqual([
      ['server:SledA1', 620],
      ['server:SledA2', 840],
    ]);
    expect(of(reading, 'hw.power.capacity').map(([who, value]) => [who, value])).toEqual([
      ['server:SledA1', 930],
      ['server:SledA2', 1260],
    ]);
    expect(of(reading, 'hw.temperature').map(([who, value]) => [who, value])).toEqual(
      expect.arrayContaining([
        ['server:SledA1', 31],
        ['server:SledA2', 42],
        ['server:SledA3', 39],
      ]),
    );
  });

  test('a metric report', async () => {
    const at = (chassis: string) => `/redfish/v1/Chassis/${chassis}/EnvironmentMetrics#/PowerWatts/Reading`;
    const reading = await read([
      ...rackTree(),
      resource('TelemetryService/MetricReports/P', 'MetricReport', {
        Timestamp: '2026-01-01T10:00:00Z',
        MetricValues: [
          { MetricId: 'Watts', MetricProperty: at('A2'), MetricValue: '401' },
          { MetricId: 'Watts', MetricProperty: at('A3'), MetricValue: '502' },
          { MetricId: 'CPUUtil', MetricValue: '7' },
        ],
      }),
    ]);
    const reported = samplesOf(reading).filter(({ time_ns }) => time_ns === 1_767_261_600_000_000_000n);
    expect(reported.map(({ entity, metric, value }) => [entity, metric, value])).toEqual([
      ['server:SledA2', 'hw.power', 401],
      ['server:SledA3', 'hw.power', 502],
      // Of no machine in particular: of the rack, which holds them all.
      ['rack:RackA', 'redfish.CPUUtil', 7],
    ]);
  });

  test('log entries and events, by their location, by their entity, and by the machine of their manager', async () => {
    const manager = (id: string, Links: Doc) => resource(`Managers/${id}`, 'Manager', { Links });
    const reading = await read([
      ...rackTree(),
      manager('RMC', { ManagerForChassis: ['Rack', 'A1', 'A2'].map((id) => link(`/redfish/v1/Chassis/${id}`)) }),
      manager('BMC2', { ManagerForChassis: [link('/redfish/v1/Chassis/A2')] }),
      entry('Chassis/A3/LogServices/L/Entries/1'),
      entry('Managers/BMC2/LogServices/L/Entries/1'),
      entry('Managers/RMC/LogServices/L/Entries/1'),
      entry('Managers/RMC/LogServices/L/Entries/2', {
        Links: { OriginOfCondition: link('/redfish/v1/Chassis/A1/Power#/PowerSupplies/1') },
      }),
      {
        '@odata.type': '#Event.v1_7_0.Event',
        Events: [
          { EventTimestamp: '2026-01-01T10:00:00Z', Message: 'm', OriginOfCondition: link('/redfish/v1/Chassis/A2') },
        ],
      },
    ]);
    expect(owner(reading)).toEqual([
      'server:SledA3',
      'server:SledA2',
      'rack:RackA',
      'psu:SledA1/psu-1',
      'server:SledA2',
    ]);
  });

  test('without a container of several machines, records that name none belong to none', async () => {
    const reading = await read([
      ...rackTree().filter((doc) => !/Chassis\/Rack/.test(String(doc['@odata.id']))),
      entry('Managers/RMC/LogServices/L/Entries/1'),
      entry('Chassis/A9/LogServices/L/Entries/1'),
    ]);
    expect(owner(reading)).toEqual(['device:tree', 'device:tree']);
    expect(reading.remarks.join('\n')).toMatch(/several machines are reported/);
  });
});

describe('equal series', () => {
  test('two of one name in one list stay two, by their place in it', async () => {
    const reading = await read([
      system('1', { HostName: 'node-a' }),
      resource('Chassis/1', 'Chassis', ofSystem('1')),
      resource('Chassis/1/Thermal', 'Thermal', {
        Temperatures: [
          { Name: 'Temp', ReadingCelsius: 30 },
          { Name: 'Temp', ReadingCelsius: 41 },
          { Name: 'Other', ReadingCelsius: 42 },
        ],
        Fans: [
          { MemberId: '0', Name: 'Fan', Reading: 5000, ReadingUnits: 'RPM' },
          { MemberId: '0', Name: 'Fan', Reading: 6000, ReadingUnits: 'RPM' },
        ],
      }),
      resource('Chassis/1/ThermalSubsystem/ThermalMetrics', 'ThermalMetrics', {
        TemperatureReadingsCelsius: [{ Reading: 50 }, { Reading: 51 }],
      }),
    ]);
    expect(of(reading, 'hw.temperature').map(([, value, { member }]) => [value, member])).toEqual([
      [30, 'Thermal#/Temperatures/0'],
      [41, 'Thermal#/Temperatures/1'],
      [42, undefined],
      [50, 'ThermalSubsystem/ThermalMetrics#/TemperatureReadingsCelsius/0'],
      [51, 'ThermalSubsystem/ThermalMetrics#/TemperatureReadingsCelsius/1'],
    ]);
    expect(of(reading, 'hw.fan.speed').map(([, value]) => value)).toEqual([5000, 6000]);
    expect(new Set(of(reading, 'hw.fan.speed').map(([who]) => who)).size).toBe(2);
  });

  test('two resources of one part that do not agree are kept apart; that agree, they are one', async () => {
    const gpu = (bandwidth: number) => [
      system('1', { HostName: 'node-a' }),
      resource('Systems/1/Processors/GPU_0', 'Processor', { ProcessorType: 'GPU' }),
      resource('Systems/1/Processors/GPU_0/ProcessorMetrics', 'ProcessorMetrics', { BandwidthPercent: 12 }),
      resource('Systems/1/Memory/M0', 'Memory', {
        Links: { Processors: [link('/redfish/v1/Systems/1/Processors/GPU_0')] },
      }),
      resource('Systems/1/Memory/M0/MemoryMetrics', 'MemoryMetrics', { BandwidthPercent: bandwidth }),
    ];
    expect(of(await read(gpu(12)), 'redfish.BandwidthPercent').map(([, value]) => value)).toEqual([12]);
    expect(of(await read(gpu(90)), 'redfish.BandwidthPercent').map(([, value]) => value)).toEqual([90, 12]);
  });

  test('two values of one series at one time: the second is a reject with its reason', async () => {
    const value = (MetricValue: string) => ({ MetricId: 'CPUUtil', MetricValue, Timestamp: '2026-01-01T10:00:00Z' });
    const reading = await read([
      system('1', { HostName: 'node-a' }),
      resource('TelemetryService/MetricReports/P', 'MetricReport', {
        MetricValues: [value('7'), value('7'), value('9')],
      }),
    ]);
    expect(of(reading, 'redfish.CPUUtil').map(([, number]) => number)).toEqual([7]);
    expect(reading.rows.reject).toMatchObject([
      { reason: 'another value of the same series at the same time: the first one is kept' },
    ]);
    expect(reading.rows.reject[0]?.excerpt).toMatch(/redfish\.CPUUtil.*: 9 %/);
  });
});
