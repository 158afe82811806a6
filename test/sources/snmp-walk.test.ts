import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { profiles } from '../../src/main/sources/snmp/profiles.ts';
import { snmpWalk } from '../../src/main/sources/snmp-walk/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Reading, readSource, reasonsOf, type Sample, samplesOf } from '../support/read-source.ts';
import { CAPTURED_NS, type InputOptions } from '../support/source-input.ts';

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/snmp-walk', name), 'utf8');
const read = (content: string | Uint8Array, options: InputOptions = {}) => readSource(snmpWalk, content, options);

/** Lines of a recording: `1.3.6… = value` pairs as integers, strings where they are quoted. */
const recording = (values: Readonly<Record<string, number | string>>): string =>
  Object.entries(values)
    .map(([oid, value]) => `${oid}|${typeof value === 'number' ? 2 : 4}|${value}`)
    .join('\n');
const agent = async (values: Readonly<Record<string, number | string>>, options: InputOptions = {}) =>
  samplesOf(await read(`${recording(values)}\n1.3.6.1.2.1.1.5.0|4|box-1\n`, options));

const one = (samples: readonly Sample[], metric: string, entity?: string): Sample => {
  const found = samples.filter(
    (sample) => sample.metric === metric && (entity === undefined || sample.entity === entity),
  );
  expect(found.map(({ attributes }) => attributes.oid)).toHaveLength(1);
  return found[0]!;
};
const values = (samples: readonly Sample[], metric: string): number[] =>
  samples.filter((sample) => sample.metric === metric).map(({ value }) => value);
const E = '1.3.6.1.4.1';

describe('a PDU with outlets', () => {
  let reading: Reading;
  let samples: readonly Sample[];
  beforeAll(async () => {
    reading = await read(fixture('rack-pdu2.snmprec'), { name: 'x.snmprec' });
    samples = samplesOf(reading);
  });

  test('is named by sysName, and by its serial number and address', () => {
    const pdu = reading.entities.get('pdu:pdu-a-rack-14');
    expect(pdu?.aliases).toEqual(['host_name=pdu-a-rack-14', 'asset_tag=ZA1612003456', 'ip_address=10.20.30.41']);
    expect(JSON.parse(pdu?.attributes ?? '')).toMatchObject({ vendor: 'APC', model: 'AP8681', location: 'row 3 ä' });
  });

  test('contains outlets that carry their names', () => {
    expect(
      reading.rows.edge.map(({ from_entity, kind, to_entity, provenance }) => [
        from_entity,
        kind,
        to_entity,
        provenance,
      ]),
    ).toEqual([
      ['pdu:pdu-a-rack-14', 'contains', 'outlet:pdu-a-rack-14/outlet-1', 'snmp'],
      ['pdu:pdu-a-rack-14', 'contains', 'outlet:pdu-a-rack-14/outlet-2', 'snmp'],
    ]);
    expect(reading.entities.get('outlet:pdu-a-rack-14/outlet-1')?.attributes).toBe('{"name":"gpu-node-7 PSU A"}');
  });

  test('measures in the units of the metrics', () => {
    const power = samples.filter(({ metric }) => metric === 'hw.power');
    expect(power.map(({ entity, value }) => [entity, value])).toEqual([
      ['pdu:pdu-a-rack-14', 6550],
      ['outlet:pdu-a-rack-14/outlet-1', 3275],
    ]);
    expect(one(samples, 'hw.voltage').value).toBe(242);
    expect(values(samples, 'hw.energy')).toEqual([3512.8 * 3_600_000, 1.2 * 3_600_000]);
    expect(one(samples, 'hw.power.factor').value).toBe(0.99);
    expect(samples.every(({ time_ns }) => time_ns === CAPTURED_NS)).toBe(true);
  });

  test('phases and banks are attributes, with the limits in force', () => {
    const currents = samples.filter(({ metric }) => metric === 'hw.current');
    expect(
      currents.map(({ value, attributes: { phase, bank, upper_warning, upper_critical } }) => ({
        value,
        phase,
        bank,
        upper_warning,
        upper_critical,
      })),
    ).toEqual([
      { value: 27.1, phase: 'L1', bank: undefined, upper_warning: 24, upper_critical: 30 },
      { value: 9.8, phase: undefined, bank: '1', upper_warning: undefined, upper_critical: undefined },
      { value: 13.7, phase: undefined, bank: undefined, upper_warning: undefined, upper_critical: undefined },
    ]);
  });

  test('-1 is not reported: no sample, and never zero', () => {
    expect(samples.filter(({ attributes }) => attributes.oid === `${E}.318.1.1.26.6.3.1.7.1`)).toEqual([]);
  });

  test('the newer PDUs report 1 for off and 2 for on', () => {
    expect(
      samples.filter(({ metric }) => metric === 'hw.outlet.state').map(({ entity, value }) => [entity, value]),
    ).toEqual([
      ['outlet:pdu-a-rack-14/outlet-1', 1],
      ['outlet:pdu-a-rack-14/outlet-2', 0],
    ]);
    expect(values(samples, 'rPDU2OutletSwitchedStatusState')).toEqual([2, 1]);
  });

  test('a remark states when it was taken', () => {
    expect(reading.remarks).toEqual([
      'no times in the file: taken as recorded at 2026-01-01T00:00:00.000Z (file time)',
    ]);
  });
});

describe('ways to write a walk', () => {
  test('numbers and types', async () => {
    const reading = await read(fixture('ups-numeric.txt'));
    const samples = samplesOf(reading);
    expect(reading.rows.reject).toEqual([]);
    expect(JSON.parse(reading.entities.get('ups:ups-b')?.attributes ?? '').description).toBe(
      'UPS card\nsecond line of the description',
    );
    expect(one(samples, 'hw.battery.state').value).toBe(3);
    expect(one(samples, 'hw.battery.charge').value).toBe(31);
    expect(one(samples, 'hw.battery.time_left').value).toBe(240);
    expect(one(samples, 'hw.battery.voltage').value).toBe(264.1);
    expect(one(samples, 'hw.ups.output_source').value).toBe(5);
    expect(values(samples, 'hw.battery.temperature')).toEqual([]);
    expect(values(samples, 'hw.power.output')).toEqual([4100]);
    const inputVoltage = samples.find(({ attributes }) => attributes.object === 'UPS-MIB::upsInputVoltage');
    expect(inputVoltage?.attributes).toMatchObject({
      side: 'input',
      phase: 'L1',
      lower_critical: 196,
      upper_critical: 253,
    });
  });

  test('active alarms are events at the time that sysUpTime gives them', async () => {
    const { rows } = await read(fixture('ups-numeric.txt'));
    expect(rows.event.map(({ entity, time_ns, type, severity }) => ({ entity, time_ns, type, severity }))).toEqual([
      { entity: 'ups:ups-b', time_ns: CAPTURED_NS - 312_000_000_000n, type: 'ups_transfer', severity: 1 },
      { entity: 'ups:ups-b', time_ns: CAPTURED_NS - 10_000_000_000n, type: 'ups_battery_low', severity: 0 },
    ]);
    expect(rows.event[0]?.raw).toContain('1.3.6.1.2.1.33.1.6.3.2');
  });

  test('an alarm without sysUpTime gets the time of the walk, with a remark', async () => {
    const text = fixture('ups-numeric.txt').replace(/^\.1\.3\.6\.1\.2\.1\.1\.3\.0.*\n/m, '');
    const { rows, remarks } = await read(text);
    expect(rows.event.map(({ time_ns }) => time_ns)).toEqual([CAPTURED_NS, CAPTURED_NS]);
    expect(remarks.join()).toContain('UPS alarms without a usable sysUpTime');
  });

  test('hertz in hundredths', async () => {
    const samples = samplesOf(await read(fixture('ups-numeric.txt')));
    expect(samples.find(({ attributes }) => attributes.object === 'UPS-MIB::upsOutputFrequency')?.value).toBe(50);
  });

  test('names, enumerations, units', async () => {
    const reading = await read(fixture('ups-named.txt'));
    const samples = samplesOf(reading);
    expect(one(samples, 'hw.battery.state').value).toBe(3);
    expect(one(samples, 'hw.battery.time_on').value).toBe(312);
    expect(one(samples, 'hw.battery.voltage').value).toBe(264.1);
    expect(one(samples, 'hw.voltage').value).toBe(230);
    expect(one(samples, 'hw.battery.charge').value).toBe(31);
    expect(one(samples, 'hw.load').value).toBe(62);
    expect(reading.rows.event).toMatchObject([{ type: 'ups_transfer', time_ns: CAPTURED_NS - 312_000_000_000n }]);
    expect(reading.remarks[0]).toContain('1 objects have names of MIBs that are not known');
    expect([...reading.entities.keys()]).toEqual(['ups:ups-b']);
  });

  test('names without numbers behind their labels (-OQ), and full paths (-Of)', async () => {
    const text = [
      'SNMPv2-MIB::sysName.0 = ups-c',
      'UPS-MIB::upsBatteryStatus.0 = batteryNormal',
      'UPS-MIB::upsOutputSource.0 = bypass',
      '.iso.org.dod.internet.mgmt.mib-2.upsMIB.upsObjects.upsBattery.upsEstimatedChargeRemaining.0 = 98',
    ].join('\n');
    const samples = samplesOf(await read(text));
    expect(one(samples, 'hw.battery.state', 'ups:ups-c').value).toBe(2);
    expect(one(samples, 'hw.ups.output_source').value).toBe(4);
    expect(one(samples, 'hw.battery.charge').value).toBe(98);
  });

  test('without types and equals signs', async () => {
    const reading = await read(fixture('sentry3-quick.txt'));
    const samples = samplesOf(reading);
    expect(one(samples, 'system.uptime').value).toBe(((3 * 24 + 20) * 60 + 12) * 60 + 45.67);
    expect(one(samples, 'hw.power', 'outlet:sentry-7/outlet-AA1').value).toBe(3275);
    expect(one(samples, 'hw.energy').value).toBe(1200 * 3600);
    expect(reading.entities.get('outlet:sentry-7/outlet-AA1')?.attributes).toBe('{"name":"gpu-node-7\\nPSU A"}');
    expect(values(samples, 'hw.outlet.state')).toEqual([1, 3]);
    expect(one(samples, 'hw.load.state').value).toBe(4);
    const infeed = one(samples, 'hw.current', 'pdu:sentry-7');
    expect(infeed.value).toBe(25.5);
    expect(infeed.attributes).toMatchObject({ inlet: 'AA', upper_warning: 24, upper_critical: 30 });
    expect(one(samples, 'hw.temperature').value).toBeCloseTo(20, 9);
    expect(one(samples, 'hw.temperature').attributes.upper_warning).toBeCloseTo(35, 9);
  });

  test('a display hint in an integer is undone', async () => {
    const samples = samplesOf(
      await read('UPS-MIB::upsBatteryVoltage.0 = INTEGER: 264.1\nUPS-MIB::upsOutputFrequency.0 = INTEGER: 50.0 Hz\n'),
    );
    expect(one(samples, 'hw.battery.voltage').value).toBe(264.1);
    expect(one(samples, 'hw.frequency').value).toBe(50);
  });
});

describe('scales that no recording at hand has', () => {
  test('the old APC PDUs: 1 is on, load states are inverted', async () => {
    const samples = await agent({
      [`${E}.318.1.1.12.3.5.1.1.2.1`]: 'node-1',
      [`${E}.318.1.1.12.3.5.1.1.4.1`]: 1,
      [`${E}.318.1.1.12.3.5.1.1.4.2`]: 2,
      [`${E}.318.1.1.12.3.5.1.1.7.1`]: 14,
      [`${E}.318.1.1.12.2.3.1.1.3.1`]: 1,
      [`${E}.318.1.1.26.6.3.1.4.1`]: 1,
    });
    expect(values(samples, 'hw.outlet.state')).toEqual([1, 0]);
    expect(one(samples, 'hw.current').value).toBe(1.4);
    expect(values(samples, 'hw.load.state')).toEqual([2, 1]);
  });

  test('Sentry4: line, branch and outlet in hundredths, energy in watt-hours, chained unit', async () => {
    const samples = await agent({
      [`${E}.1718.4.1.8.2.1.2.1.1.5`]: 'AA5',
      [`${E}.1718.4.1.8.3.1.1.1.1.5`]: 2,
      [`${E}.1718.4.1.8.3.1.2.1.1.5`]: 13,
      [`${E}.1718.4.1.8.3.1.3.1.1.5`]: 137,
      [`${E}.1718.4.1.8.3.1.7.1.1.5`]: 310,
      [`${E}.1718.4.1.8.3.1.14.1.1.5`]: 1000,
      [`${E}.1718.4.1.8.3.1.7.2.1.5`]: 20,
      [`${E}.1718.4.1.9.1.10.0`]: 1,
      [`${E}.1718.4.1.9.3.1.1.1.1`]: 770,
      [`${E}.1718.4.1.9.3.1.1.1.2`]: -410,
    });
    expect(one(samples, 'hw.outlet.state', 'outlet:box-1/outlet-AA5').value).toBe(0);
    expect(one(samples, 'hw.current', 'outlet:box-1/outlet-AA5').value).toBe(1.37);
    expect(one(samples, 'hw.energy').value).toBe(3_600_000);
    expect(one(samples, 'st4OutletStatus').value).toBe(13);
    expect(one(samples, 'hw.power', 'outlet:box-1/pdu-2/outlet-1.5').value).toBe(20);
    expect(values(samples, 'hw.temperature')).toEqual([25]);
  });

  test('iLO: a temperature limit of zero is none', async () => {
    const H = `${E}.232.6.2.6.8.1`;
    const samples = await agent({
      [`${H}.3.0.1`]: 11,
      [`${H}.4.0.1`]: 40,
      [`${H}.5.0.1`]: 0,
      [`${H}.3.0.2`]: 6,
      [`${H}.4.0.2`]: 41,
      [`${H}.5.0.2`]: 70,
    });
    expect(
      samples
        .filter(({ metric }) => metric === 'hw.temperature')
        .map(({ value, attributes }) => [value, attributes.upper_critical]),
    ).toEqual([
      [40, undefined],
      [41, 70],
    ]);
  });

  test('Geist outlets', async () => {
    const samples = await agent({
      [`${E}.21239.5.2.3.5.1.4.1`]: 1,
      [`${E}.21239.5.2.3.5.1.4.2`]: 2,
      [`${E}.21239.5.2.3.5.1.4.3`]: 7,
      [`${E}.21239.5.2.3.6.1.4.1`]: 2301,
      [`${E}.21239.5.2.3.6.1.8.1`]: 42,
      [`${E}.21239.5.2.3.6.1.14.1`]: 97,
    });
    expect(values(samples, 'hw.outlet.state')).toEqual([1, 0]);
    expect(values(samples, 'pduOutletSwitchState')).toEqual([1, 2, 7]);
    expect(one(samples, 'hw.voltage', 'outlet:box-1/outlet-1').value).toBe(230.1);
    expect(one(samples, 'hw.current').value).toBe(0.42);
    expect(one(samples, 'hw.power.factor').value).toBe(0.97);
  });

  test('CyberPower PDUs', async () => {
    const samples = await agent({
      [`${E}.3808.1.1.3.2.3.1.1.2.1`]: 93,
      [`${E}.3808.1.1.3.2.3.1.1.6.1`]: 2081,
      [`${E}.3808.1.1.3.2.3.1.1.10.1`]: 15,
      [`${E}.3808.1.1.3.5.1.1.4.1`]: 2,
      [`${E}.3808.1.1.3.5.1.1.7.1`]: 12,
      [`${E}.3808.1.1.3.5.1.1.8.1`]: 240,
    });
    expect(values(samples, 'hw.current')).toEqual([9.3, 1.2]);
    expect(one(samples, 'hw.voltage').value).toBe(208.1);
    expect(one(samples, 'hw.energy').value).toBe(1.5 * 3_600_000);
    expect(one(samples, 'hw.outlet.state').value).toBe(0);
    expect(one(samples, 'hw.power', 'outlet:box-1/outlet-1').value).toBe(240);
  });

  test('HPE: three generations, three scales; the sign of a power factor is kept', async () => {
    const samples = await agent({
      [`${E}.232.165.7.2.2.1.3.1.1`]: 230_100,
      [`${E}.232.165.7.2.2.1.11.1.1`]: 5120,
      [`${E}.232.165.7.5.1.1.17.1.3`]: -712,
      [`${E}.232.165.11.2.2.1.3.1.2`]: 2301,
      [`${E}.232.165.11.2.2.1.11.1.2`]: 512,
      [`${E}.232.165.11.5.1.1.13.2.4`]: 88,
    });
    expect(values(samples, 'hw.voltage')).toEqual([230.1, 230.1]);
    expect(values(samples, 'hw.current')).toEqual([5.12, 5.12]);
    expect(one(samples, 'hw.power.factor', 'outlet:box-1/outlet-3').value).toBe(-0.712);
    expect(one(samples, 'hw.power', 'outlet:box-1/pdu-2/outlet-4').value).toBe(88);
  });

  test('Dell: phases in tenths, outlets in whole amperes', async () => {
    const D = `${E}.674.10903.200.2.200`;
    const samples = await agent({
      [`${D}.110.2.1.3.1`]: 381,
      [`${D}.120.2.1.4.1`]: 49,
      [`${D}.130.2.2.1.6.2`]: 3,
      [`${D}.130.2.2.1.7.2`]: 2,
      [`${D}.130.1.2.1.4.2`]: 1,
    });
    expect(one(samples, 'hw.power').value).toBe(3810);
    expect(values(samples, 'hw.current')).toEqual([4.9, 3]);
    expect(one(samples, 'hw.energy').value).toBe(7_200_000);
    expect(one(samples, 'hw.outlet.state', 'outlet:box-1/outlet-2').value).toBe(1);
  });

  test('Raritan: digits and units of the configuration, not of habit', async () => {
    const R = `${E}.13742.6`;
    const wanted = { [`${R}.3.5.3.1.2.1.9`]: '9', [`${R}.5.4.3.1.4.1.9.1`]: 1370, [`${R}.5.5.3.1.4.1.1`]: 770 };
    const samples = await agent({
      ...wanted,
      [`${R}.3.5.4.1.6.1.9.1`]: 2,
      [`${R}.3.5.4.1.7.1.9.1`]: 2,
      [`${R}.3.6.3.1.2.1.1`]: 10,
      [`${R}.3.6.3.1.16.1.1`]: 14,
      [`${R}.3.6.3.1.17.1.1`]: 1,
      [`${R}.4.1.2.1.3.1.9`]: 8,
    });
    expect(one(samples, 'hw.current', 'outlet:box-1/outlet-9').value).toBe(13.7);
    expect(one(samples, 'hw.temperature').value).toBeCloseTo(25, 9);
    expect(one(samples, 'hw.outlet.state', 'outlet:box-1/outlet-9').value).toBe(0);
    const without = await read(`${recording(wanted)}\n`);
    expect(samplesOf(without)).toEqual([]);
    expect(without.remarks.join()).toContain('lacks the decimal digits');
  });

  test('Raritan PX1: column 8 is apparent power', async () => {
    const samples = await agent({
      [`${E}.13742.4.1.2.2.1.3.1`]: 0,
      [`${E}.13742.4.1.2.2.1.4.1`]: 1250,
      [`${E}.13742.4.1.2.2.1.7.1`]: 280,
      [`${E}.13742.4.1.2.2.1.8.1`]: 290,
      [`${E}.13742.4.1.3.1.5.0`]: 412,
    });
    expect(one(samples, 'hw.power.apparent').value).toBe(290);
    expect(one(samples, 'hw.power').value).toBe(280);
    expect(one(samples, 'hw.current').value).toBe(1.25);
    expect(one(samples, 'hw.temperature').value).toBe(41.2);
  });

  test('Eaton: degrees only with the scale that they are in', async () => {
    const T = `${E}.534.6.6.7`;
    const samples = await agent({ [`${T}.7.1.1.4.0.1`]: 770, [`${T}.1.2.1.9.0`]: 1, [`${T}.6.6.1.2.0.3`]: 2 });
    expect(one(samples, 'hw.temperature').value).toBeCloseTo(25, 9);
    expect(one(samples, 'hw.outlet.state', 'outlet:box-1/outlet-3').value).toBe(2);
    expect(values(await agent({ [`${T}.7.1.1.4.0.1`]: 770 }), 'hw.temperature')).toEqual([]);
  });

  test('Liebert receptacles, Rittal variables', async () => {
    const samples = await agent({
      [`${E}.476.1.42.3.8.50.20.1.60.1.1.4`]: 23,
      [`${E}.476.1.42.3.8.50.20.1.65.1.1.4`]: 500,
      [`${E}.476.1.42.3.8.50.20.1.70.1.1.4`]: 520,
      [`${E}.476.1.42.3.8.50.20.1.95.1.1.4`]: 1,
      [`${E}.2606.7.4.2.2.1.3.2.5`]: 'Temperature.Value',
      [`${E}.2606.7.4.2.2.1.5.2.5`]: '°C',
      [`${E}.2606.7.4.2.2.1.7.2.5`]: '-100',
      [`${E}.2606.7.4.2.2.1.11.2.5`]: 2350,
      [`${E}.2606.7.4.2.2.1.3.2.6`]: 'Temperature.SetPtHighAlarm',
      [`${E}.2606.7.4.2.2.1.11.2.6`]: 3500,
    });
    expect(one(samples, 'hw.power', 'outlet:box-1/outlet-1.4').value).toBe(500);
    expect(one(samples, 'hw.current').value).toBe(2.3);
    expect(one(samples, 'hw.outlet.state').value).toBe(0);
    expect(one(samples, 'hw.temperature').value).toBe(23.5);
    expect(one(samples, 'hw.temperature').attributes.sensor).toBe('Temperature');
  });

  test('power over Ethernet: denials and overloads count, class codes start at 1, nothing fitted is nothing', async () => {
    const P = '1.3.6.1.2.1.105.1';
    const samples = await agent({
      [`${P}.1.1.6.1.7`]: 4,
      [`${P}.1.1.10.1.7`]: 5,
      [`${P}.1.1.12.1.7`]: 3,
      [`${P}.1.1.13.1.7`]: 2,
      [`${P}.3.1.1.2.1`]: 0,
      [`${P}.3.1.1.3.1`]: 2,
      [`${P}.3.1.1.2.2`]: 370,
      [`${P}.3.1.1.3.2`]: 1,
      [`${P}.3.1.1.5.2`]: 0,
      [`${E}.9.9.402.1.2.1.9.2.7`]: 2509,
      [`${E}.7428.1.2.1.1.1.3.1.7`]: 8,
    });
    expect(one(samples, 'hw.outlet.state', 'port:box-1/port-7').value).toBe(3);
    expect(one(samples, 'pethPsePortPowerClassifications').attributes.codes).toMatchObject({ 5: 'class4' });
    expect(one(samples, 'hw.poe.denied').value).toBe(3);
    expect(one(samples, 'hw.poe.overload').value).toBe(2);
    expect(values(samples, 'hw.power.capacity')).toEqual([370]);
    expect(values(samples, 'pethMainPseUsageThreshold')).toEqual([]);
    expect(one(samples, 'hw.power', 'port:box-1/port-2.7').value).toBe(2.509);
    expect(one(samples, 'hw.power', 'port:box-1/port-7').value).toBe(8);
  });

  test('an Eaton UPS: the date of the last battery is no run time', async () => {
    const samples = await agent({
      [`${E}.534.1.2.1.0`]: 8620,
      [`${E}.534.1.2.6.0`]: '2001-01-01',
      [`${E}.534.1.4.5.0`]: 11,
      [`${E}.534.1.2.5.0`]: 8,
    });
    expect(values(samples, 'hw.battery.time_left')).toEqual([8620]);
    expect(one(samples, 'hw.ups.output_source').value).toBe(4);
    expect(one(samples, 'hw.battery.state').value).toBe(5);
  });
});

describe('what a device is called', () => {
  const values = { [`${E}.318.1.1.26.4.3.1.5.1`]: 114 };
  const pduOf = async (text: string, options: InputOptions) => [...(await read(text, options)).entities.keys()];

  test.each(['<private>', 'localhost', 'PDU', ''])('"%s" is no name', async (name) => {
    const text = `${recording(values)}\n1.3.6.1.2.1.1.5.0|4|${name}\n`;
    expect(await pduOf(text, { name: 'rack 14.snmprec' })).toEqual(['pdu:rack 14']);
    expect(await pduOf(text, { name: 'a', assume: { device: 'pdu-7' } })).toEqual(['pdu:pdu-7']);
  });

  test('sysName counts more than what was assumed', async () => {
    const text = `${recording(values)}\n1.3.6.1.2.1.1.5.0|4|pdu-b\n`;
    expect(await pduOf(text, { assume: { device: 'pdu-7' } })).toEqual(['pdu:pdu-b']);
  });

  test('a UPS whose agent identifies as a PDU is a UPS', async () => {
    const text = `${recording({ '1.3.6.1.2.1.1.2.0': `${E}.3808.1.1.3`, [`${E}.3808.1.1.1.4.1.1.0`]: 3 })}\n`;
    expect(await pduOf(text.replace('1.2.0|4|', '1.2.0|6|'), { name: 'u' })).toEqual(['ups:u']);
  });

  test('walks of one device at different times are one series', async () => {
    const text = `${recording(values)}\n1.3.6.1.2.1.1.5.0|4|pdu-b\n`;
    const early = await read(text);
    const late = await read(text.replace('|114', '|143'), { captured_ns: CAPTURED_NS + 60_000_000_000n });
    expect(early.rows.point[0]?.series).toBe(late.rows.point[0]?.series);
    expect(samplesOf(late)).toMatchObject([{ value: 1430, time_ns: CAPTURED_NS + 60_000_000_000n }]);
    expect(late.remarks).toEqual(['no times in the file: taken as recorded at 2026-01-01T00:01:00.000Z (given)']);
  });
});

describe('hostile and foreign input', () => {
  test('bad lines are rejects, the rest is read', async () => {
    const text = [
      '1.3.6.1.2.1.33.1.2.4.0|2|98',
      'nonsense',
      '1.3.6.1.2.1.33.1.2.5.0|2|',
      '1.3.6.1.2.1.33.1.2.6.0|2:numeric|rate=100',
      '1.3.6.1.2.1.33.1.2.7.0|99|1',
      '1.3.6.1.2.1.33.1.2.7.0|4x|zz',
      '1.3.6.1.2.1.33.1.2.3.0|66|99999999999999999999999999',
      '1.3.6.1.2.1.33.1.2.2.0|66|1e999',
      '1.3.6.1.2.1.33.1.4.4.1.2|2|230',
      '1.3.6.1.2.1.33.1.4.1.0|2|constructor',
    ].join('\n');
    const reading = await readSource(snmpWalk, `1.3.6.1.2.1.1.5.0|4|u\n1.3.6.1.2.1.1.6.0|4|u\n${text}\n`);
    expect(reasonsOf(reading)).toEqual([
      'not of the form OID|tag|value',
      'the value is no number',
      'the tag "2:numeric" is no plain type, so this is no recorded value',
      'the tag "99" is no type of SNMP',
      'the value is not hexadecimal',
      'the value is no number',
      'the value is no number',
    ]);
    expect(one(samplesOf(reading), 'hw.battery.charge').value).toBe(98);
  });

  test('labels that no code has, and names of prototypes', async () => {
    const text =
      'UPS-MIB::upsOutputSource.0 = INTEGER: toString\n__proto__::constructor.0 = INTEGER: 1\nUPS-MIB::upsBatteryStatus.0 = INTEGER: 2\n';
    expect(samplesOf(await read(text)).map(({ metric, value }) => [metric, value])).toEqual([['hw.battery.state', 2]]);
  });

  test('a file without values is refused', async () => {
    await expect(read('')).rejects.toThrow(ProblemError);
    await expect(read('hello\nworld\n')).rejects.toThrow(ProblemError);
  });

  test('a string of ten megabytes', async () => {
    const text = `.1.3.6.1.2.1.1.5.0 = STRING: "ups-9"\n.1.3.6.1.2.1.1.1.0 = STRING: "${`${'x'.repeat(1000)}\n`.repeat(10_000)}"\n.1.3.6.1.2.1.33.1.2.4.0 = INTEGER: 98\n`;
    expect(one(samplesOf(await read(text)), 'hw.battery.charge', 'ups:ups-9').value).toBe(98);
  });

  test('an open string before very many lines', async () => {
    const text = `.1.3.6.1.2.1.1.5.0 "ups-9\n${'.1.3.6.1.2.1.1.4.0 x\n'.repeat(200_000)}.1.3.6.1.2.1.33.1.2.4.0 98\n`;
    expect(values(samplesOf(await read(text)), 'hw.battery.charge')).toEqual([98]);
  });

  test.each([
    [
      'a trap log',
      '2026-01-01 10:00:00 ups-b [UDP: [10.0.0.5]:161->[10.0.0.1]:162]:\nDISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (1) 0:00:00.01\tSNMPv2-MIB::snmpTrapOID.0 = OID: UPS-MIB::upsTraps.0.1\n',
    ],
    [
      'a trap without its first line',
      'DISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (1) 0:00:00.01\tSNMPv2-MIB::snmpTrapOID.0 = OID: UPS-MIB::upsTraps.0.1\n',
    ],
    ['prose', 'Nothing here is a walk.\nNot even = this: line.\n'],
    ['a table with bars', '10.1|up|eth0\n10.2|down|eth1\n'],
    ['settings', 'server.port = 8080\nserver.host = localhost\n'],
    ['a log with versions', '1.2.3.4 is up\n1.2.3.5 is down\n'],
  ])('%s is not claimed', (_, text) => {
    expect(snmpWalk.detect(new FileHead(Buffer.from(text)))).toBe(false);
  });

  test.each(['rack-pdu2.snmprec', 'ups-numeric.txt', 'ups-named.txt', 'sentry3-quick.txt'])('%s is claimed', (name) => {
    expect(snmpWalk.detect(new FileHead(Buffer.from(fixture(name))))).toBe(true);
    expect(snmpWalk.detect(new FileHead(Buffer.from(fixture(name).slice(0, 200))))).toBe(true);
  });
});

test('profiles are well formed: OIDs, no column twice', () => {
  const seen = new Map<string, string>();
  for (const { vendor, tables } of profiles())
    for (const { at, columns, index } of tables) {
      expect(at).toMatch(/^1\.3\.6\.1(\.\d+)+$/);
      for (const key of Object.keys(columns)) {
        expect(key).toMatch(/^\d+(\.\d+)*$/);
        const oid = `${at}.${key}${index.length === 0 ? '.0' : ''}`;
        expect([vendor, oid, seen.get(oid)]).toEqual([vendor, oid, undefined]);
        seen.set(oid, vendor);
      }
    }
  expect(seen.size).toBeGreaterThan(400);
});

test('a line of numbers and points without end is no walk and no crash', async () => {
  await expect(readSource(snmpWalk, '1.'.repeat(6_000_000))).rejects.toThrow(ProblemError);
});
