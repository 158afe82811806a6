import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { readSource } from '../support/read-source.ts';

const SECOND = 1_777_644_600;
type Labels = Readonly<Record<string, string>>;
type Wanted = readonly [metric: string, unit: string | null, value: number, entity: string];

const answer = (series: readonly (readonly [string, Labels, readonly number[]])[]): string =>
  JSON.stringify({
    status: 'success',
    data: {
      resultType: 'matrix',
      result: series.map(([__name__, labels, values]) => ({
        metric: { __name__, ...labels },
        values: values.map((value, i) => [SECOND + i * 15, String(value)]),
      })),
    },
  });

async function imported(file: string, content: string) {
  const path = join(await temporaryFolder(), file);
  await writeFile(path, content);
  const core = await memoryCore();
  await core.import([path]);
  return async (sql: string) => (await core.api['query.sql']({ sql })).rows;
}
const METRICS = "select metric, unit, value, entity_kind || ':' || entity from metrics order by time_ns";

const snmp = (instance: string, more: Labels = {}): Labels => ({ instance, job: 'snmp', ...more });

/** As the poller names it; what it is. */
const facts: readonly (readonly [name: string, labels: Labels, value: number, wanted: Wanted])[] = [
  // Raw numbers of the MIBs.
  ['rPDU2PhaseStatusCurrent', snmp('pdu-1', { rPDU2PhaseStatusIndex: '2' }), 49, ['hw.current', 'A', 4.9, 'pdu:pdu-1']],
  ['st4PhaseVoltage', snmp('10.0.0.9:161', { st4PhaseIndex: '1' }), 2301, ['hw.voltage', 'V', 230.1, 'pdu:10.0.0.9']],
  ['st4OutletState', snmp('pdu-2', { st4OutletIndex: '7' }), 2, ['hw.outlet.state', '1', 0, 'outlet:pdu-2/outlet-7']],
  [
    'inputVoltage',
    snmp('epdu', { inputIndex: '1', inputVoltageIndex: '1' }),
    228988,
    ['hw.voltage', 'V', 228.988, 'pdu:epdu'],
  ],
  ['upsOutputSource', snmp('ups-1'), 5, ['hw.ups.output_source', '1', 5, 'ups:ups-1']],
  ['upsBatteryStatus', snmp('ups-1', { upsBatteryStatus: 'batteryLow' }), 1, ['hw.battery.state', '1', 3, 'ups:ups-1']],
  ['upsAdvBatteryCapacity', snmp('ups-2'), 97, ['hw.battery.charge', '%', 97, 'ups:ups-2']],
  [
    'lgpEnvTemperatureMeasurementDegC',
    snmp('crac-1', { lgpEnvTemperatureIndex: '2' }),
    24,
    ['hw.temperature', 'Cel', 24, 'cooling:crac-1'],
  ],
  // Ports.
  ['ifOperStatus', snmp('leaf-1', { ifName: 'Ethernet3/1' }), 2, ['hw.link.state', '1', 0, 'port:leaf-1/Ethernet3/1']],
  [
    'ifOutDiscards',
    snmp('leaf-1', { ifIndex: '3', ifName: 'swp3' }),
    9,
    ['hw.network.discards', '{packet}', 9, 'port:leaf-1/swp3'],
  ],
  [
    'dot3HCInPauseFrames',
    snmp('leaf-1', { ifDescr: 'et-0/0/3' }),
    12,
    ['hw.network.pause', '{frame}', 12, 'port:leaf-1/et-0/0/3'],
  ],
  [
    'node_network_receive_errs_total',
    { instance: 'n-1:9100', device: 'ens3f0' },
    4,
    ['hw.errors', '{error}', 4, 'nic:n-1/ens3f0'],
  ],
  [
    'node_network_receive_drop_total',
    { instance: 'n-1:9100', device: 'cali12ab' },
    4,
    ['hw.network.discards', '{packet}', 4, 'server:n-1'],
  ],
  [
    'interfaces_interface_state_counters_in_fcs_errors',
    { source: 'leaf-2', interface_name: 'Ethernet1' },
    3,
    ['hw.errors', '{error}', 3, 'port:leaf-2/Ethernet1'],
  ],
  // Exporters that choose their own names.
  [
    'pdu_phase_voltage_volts',
    { instance: 'exporter:9116', pdu: 'pdu-r01-a', rack: 'R01', phase: 'L1' },
    228.8,
    ['hw.voltage', 'V', 228.8, 'pdu:pdu-r01-a'],
  ],
  ['ups_on_battery', { instance: 'exporter:9199', ups: 'UPS-1' }, 1, ['hw.ups.output_source', '1', 5, 'ups:UPS-1']],
  [
    'network_ups_tools_battery_charge_percent',
    { instance: 'nut:9199', ups: 'rack-ups' },
    64,
    ['hw.battery.charge', '%', 64, 'ups:rack-ups'],
  ],
  [
    'network_ups_tools_ups_status',
    { instance: 'nut:9199', ups: 'rack-ups', flag: 'OB' },
    1,
    ['hw.ups.output_source', '1', 5, 'ups:rack-ups'],
  ],
  [
    'cdu_coolant_flow_lpm',
    { instance: 'bms:9100', cdu: 'CDU-2' },
    410,
    ['hw.coolant.flow', 'L/min', 410, 'cooling:CDU-2'],
  ],
  [
    'crah_supply_air_temperature_celsius',
    { instance: 'crah-3:9100' },
    19.5,
    ['hw.temperature', 'Cel', 19.5, 'cooling:crah-3'],
  ],
  ['pdu_outlet_power_watts', { pdu: 'pdu-9', outlet: '12' }, 310, ['hw.power', 'W', 310, 'outlet:pdu-9/outlet-12']],
];

test.each(facts)('%s', async (name, labels, value, wanted) => {
  const rows = await imported('answer.json', answer([[name, labels, [value]]]));
  expect(await rows(METRICS)).toEqual([wanted]);
});

test.each([
  ['a limit', 'pdu_max_current_amps', { pdu: 'a' }],
  ['no unit and no scale', 'pdu_voltage', { pdu: 'a' }],
  ['an object of several MIBs in several scales', 'outletVoltage', { instance: 'a', outletIndex: '1' }],
  ['a metric of a service', 'requestCount', { instance: 'a' }],
])('%s keeps its name: %s', async (_, name, labels) => {
  const rows = await imported('answer.json', answer([[name, labels as Labels, [5]]]));
  expect((await rows(METRICS))[0]?.[0]).toBe(name);
});

test("Telegraf's input snmp: the agent that was asked is the device", async () => {
  const rows = await imported(
    'telegraf.lp',
    [
      `snmp,agent_host=ups-7,host=collector upsOutputSource=3i ${SECOND}000000000`,
      `interface,agent_host=leaf-9,host=collector,ifName=Ethernet4 ifOperStatus=1i,ifInDiscards=7i ${SECOND}000000000`,
      '',
    ].join('\n'),
  );
  expect(await rows(METRICS.replace('time_ns', 'metric'))).toEqual([
    ['hw.link.state', '1', 1, 'port:leaf-9/Ethernet4'],
    ['hw.network.discards', '{packet}', 7, 'port:leaf-9/Ethernet4'],
    ['hw.ups.output_source', '1', 3, 'ups:ups-7'],
  ]);
});

test('what is polled is an event when it changes: a UPS on battery and back, a port down, an outlet off', async () => {
  const rows = await imported(
    'answer.json',
    answer([
      ['upsOutputSource', snmp('ups-1'), [3, 3, 5, 5, 5, 5, 5, 3, 3, 3, 3, 3]],
      ['ifOperStatus', snmp('leaf-1', { ifName: 'Ethernet3' }), [1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1]],
      ['sPDUOutletCtl', snmp('pdu-1', { sPDUOutletIndex: '4' }), [1, 1, 1]],
      ['groupBreakerStatus', snmp('epdu-1', { groupIndex: '2', strappingIndex: '0' }), [1, 1, 1, 2, 2, 2]],
      ['outletSwitchingState', snmp('px-1', { outletId: '4', pduId: '1' }), [7, 7, 8, 8, 8, 8]],
    ]),
  );
  expect(await rows("select entity_kind || ':' || device_id, type from events order by time_ns, type")).toEqual([
    ['port:leaf-1/Ethernet3', 'link_down'],
    ['outlet:px-1/outlet-4', 'outlet_off'],
    ['ups:ups-1', 'ups_transfer'],
    ['pdu:epdu-1', 'outlet_off'],
    ['port:leaf-1/Ethernet3', 'link_up'],
    ['ups:ups-1', 'ups_restored'],
  ]);
});

test("Telegraf's input redfish: the health in the tags is an event of its component when it changes", async () => {
  const line = (second: number, name: string, part: string, health: string) =>
    `redfish_${part},source=srv-1,name=${name},health=${health},state=Enabled ${part.startsWith('power') ? 'power_output_watts=300' : 'reading_rpm=5400i'} ${SECOND + second}000000000`;
  const rows = await imported(
    'telegraf.lp',
    `${[0, 10, 20, 30, 40, 50, 60, 70, 80]
      .flatMap((second) => [
        line(second, 'PSU1', 'power_powersupplies', second < 30 || second > 60 ? 'OK' : 'Critical'),
        line(second, 'Fan2', 'thermal_fans', second < 50 ? 'OK' : 'Critical'),
        line(second, 'Fan3', 'thermal_fans', 'OK'),
      ])
      .join('\n')}\n`,
  );
  expect(await rows("select entity_kind || ':' || device_id, type from events order by time_ns, type")).toEqual([
    ['psu:srv-1/PSU1', 'psu_failure'],
    ['cooling:srv-1/Fan2', 'fan_failure'],
    ['psu:srv-1/PSU1', 'psu_restored'],
  ]);
});

test('the remark that a series names no entity appears only where it is so, and names it', async () => {
  const read = (lines: string) => readSource(prometheus, lines, { name: 'building.prom' });
  const named = await read(
    'cdu_supply_temperature_celsius{cdu="cdu-1"} 33 1777644600000\nvllm:num_requests_running{instance="gpu-1:8000"} 3 1777644600000\n',
  );
  expect(named.remarks).toEqual([]);
  const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `sensor_${name} 1 1777644600000\n`);
  const unnamed = await read(`${lines.join('')}DCGM_FI_DEV_GPU_TEMP{gpu="0"} 60 1777644600000\n`);
  expect(unnamed.remarks).toEqual([
    ...['a', 'b', 'c', 'd', 'e'].map(
      (name) => `sensor_${name} names no entity: it goes to "building" (the file's name)`,
    ),
    'further series name no entity: they go to "building" (the file\'s name)',
  ]);
});
