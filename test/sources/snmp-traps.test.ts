import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sources } from '../../src/main/sources/index.ts';
import { snmpTraps } from '../../src/main/sources/snmp-traps/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { readSource, reasonsOf } from '../support/read-source.ts';
import { CAPTURED_NS, type InputOptions } from '../support/source-input.ts';

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/snmp-traps', name), 'utf8');
const read = (text: string, options: InputOptions = {}) => readSource(snmpTraps, text, options);
const TEN = CAPTURED_NS + 36_000_000_000_000n;
const SECOND = 1_000_000_000n;

/** A v2c notification as the daemon logs it. */
const notification = (trap: string, ...values: string[]): string =>
  `2026-01-01 10:00:00 box-1 [UDP: [10.0.0.5]:161->[10.0.0.1]:162]:\n${[
    'DISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (100) 0:00:01.00',
    `SNMPv2-MIB::snmpTrapOID.0 = OID: ${trap}`,
    ...values,
  ].join('\t')}\n`;
const eventOf = async (text: string) => {
  const { rows } = await read(text);
  expect(rows.reject).toEqual([]);
  expect(rows.event).toHaveLength(1);
  const { attributes, entity, message, raw, severity, type } = rows.event[0]!;
  return {
    attributes: JSON.parse(attributes as string) as Record<string, unknown>,
    entity,
    message,
    raw,
    severity,
    type,
  };
};

describe('standard output', () => {
  test('every trap is an event of its device', async () => {
    const { rows } = await read(fixture('snmptrapd.log'));
    expect(rows.reject).toEqual([]);
    expect(rows.event.map(({ entity, type, severity, time_ns }) => [entity, type, severity, time_ns])).toEqual([
      ['ups:10.0.0.5', 'ups_transfer', 1, TEN],
      ['ups:ups-b', 'ups_battery_low', 0, TEN + 10n * SECOND],
      ['pdu:10.0.0.7', 'pdu_overload', 1, TEN + 20n * SECOND],
      ['outlet:pdu-a/outlet-9', 'outlet_off', 1, TEN + 30n * SECOND],
      ['port:leaf-3/Ethernet1/52', 'link_down', 1, TEN + 40n * SECOND],
      ['switch:leaf-3', 'switch_reboot', 1, TEN + 50n * SECOND],
      ['device:10.0.0.9', 'snmp_trap', 3, TEN + 60n * SECOND],
      ['port:leaf-3/port-52', 'link_up', 3, TEN + 70n * SECOND],
    ]);
  });

  test('names and addresses of the agents', async () => {
    const { entities, rows, remarks } = await read(fixture('snmptrapd.log'));
    expect(entities.get('ups:ups-b')?.aliases).toEqual(['host_name=ups-b', 'ip_address=10.0.0.5']);
    expect(entities.get('ups:10.0.0.5')?.aliases).toEqual(['ip_address=10.0.0.5']);
    expect(rows.edge.map(({ from_entity, to_entity }) => [from_entity, to_entity])).toEqual([
      ['pdu:pdu-a', 'outlet:pdu-a/outlet-9'],
      ['switch:leaf-3', 'port:leaf-3/Ethernet1/52'],
      ['switch:leaf-3', 'port:leaf-3/port-52'],
    ]);
    expect(remarks).toEqual([
      'lines that are no traps (of snmptrapd itself or of other programs) were left out',
      'times have no zone: read as UTC',
    ]);
  });

  test('values, OID and uptime are kept, and the record as it was', async () => {
    const { rows } = await read(fixture('snmptrapd.log'));
    const attributes = JSON.parse(rows.event[0]?.attributes as string);
    expect(attributes).toMatchObject({
      trap: 'upsTrapOnBattery',
      trap_oid: '1.3.6.1.2.1.33.2.0.1',
      agent: '10.0.0.5',
      uptime_s: 86_400,
      values: { 'UPS-MIB::upsEstimatedMinutesRemaining.0': 'INTEGER: 12 minutes' },
    });
    expect(rows.event[2]).toMatchObject({ message: 'Rack PDU: Overload, phase 1.\nLoad is 31.2 A' });
    expect(String(rows.event[2]?.raw).split('\n')).toHaveLength(4);
    expect(JSON.parse(rows.event[2]?.attributes as string).uptime_s).toBe(93_784.05);
    expect(JSON.parse(rows.event[6]?.attributes as string)).toMatchObject({ trap_oid: '1.3.6.1.4.1.99999.1.2.0.7' });
  });

  test('the zone that was assumed', async () => {
    const { rows, remarks } = await read(fixture('snmptrapd.log'), { assume: { zone: '+02:00' } });
    expect(rows.event[0]?.time_ns).toBe(TEN - 7_200n * SECOND);
    expect(remarks.join()).not.toContain('zone');
  });
});

describe('by way of syslog', () => {
  test('v1, v2c and tabs that were escaped', async () => {
    const { rows, remarks } = await read(fixture('syslog.txt'), { captured_ns: CAPTURED_NS + 86_400n * SECOND });
    expect(rows.reject).toEqual([]);
    expect(rows.event.map(({ entity, type, time_ns }) => [entity, type, time_ns])).toEqual([
      ['ups:10.0.0.5', 'ups_transfer', TEN],
      ['ups:ups-b', 'ups_restored', TEN + SECOND],
      ['port:10.0.0.11/port-7', 'port_power_exceeded', TEN + 2n * SECOND],
    ]);
    expect(rows.event[0]?.message).toBe('UPS: On battery power in response to an input power problem.');
    expect(remarks).toContain('times have no year: taken as the last before the file was recorded');
  });

  test('a December read in January is last year’s', async () => {
    const line = fixture('syslog.txt').split('\n')[0]?.replace('Jan  1', 'Dec 31') ?? '';
    const { rows } = await read(`${line}\n`);
    expect(rows.event[0]?.time_ns).toBe(TEN - 86_400n * SECOND);
  });
});

describe('lines between traps', () => {
  test('other programs end a trap; the content of a string does not', async () => {
    const text = [
      notification('UPS-MIB::upsTraps.0.1', 'A::b.0 = STRING: "Stopped by').trimEnd(),
      'Shutdown of the load"',
      'Jan  1 10:00:05 nms sshd[3]: Accepted publickey',
      '2026-01-01 10:00:06 NET-SNMP version 5.9.1 Stopped.',
      fixture('syslog.txt').split('\n')[0],
      'Jan  1 10:00:07 nms CRON[4]: (root) CMD (x)',
    ].join('\n');
    const { rows } = await read(text);
    expect(rows.reject).toEqual([]);
    expect(rows.event).toHaveLength(2);
    expect(String(rows.event[0]?.raw)).toContain('Shutdown of the load"');
    expect(String(rows.event[1]?.raw)).not.toContain('CRON');
  });
});

describe('meaning of traps', () => {
  test.each([
    ['.1.3.6.1.4.1.318.0.5', 'ups_transfer', 'ups:box-1'],
    ['SNMPv2-SMI::enterprises.318.0.7', 'ups_battery_low', 'ups:box-1'],
    ['PowerNet-MIB::powerRestored', 'ups_restored', 'ups:box-1'],
    ['iso.3.6.1.4.1.318.0.6', 'voltage_sag', 'ups:box-1'],
    ['.1.3.6.1.4.1.318.0.269', 'outlet_off', 'pdu:box-1'],
    ['.1.3.6.1.4.1.318.0.274', 'pdu_overload', 'pdu:box-1'],
    ['UPS-MIB::upsTrapOnBattery', 'ups_transfer', 'ups:box-1'],
    ['.iso.org.dod.internet.mgmt.mib-2.upsMIB.upsTraps.0.1', 'ups_transfer', 'ups:box-1'],
    ['.1.3.6.1.2.1.33.2.1', 'ups_transfer', 'ups:box-1'],
    ['.1.3.6.1.6.3.1.1.5.4', 'link_up', 'device:box-1'],
    ['SNMPv2-MIB::authenticationFailure', 'snmp_trap', 'device:box-1'],
    ['.1.3.6.1.2.1.105.0.2', 'port_power_exceeded', 'switch:box-1'],
    ['.1.3.6.1.4.1.534.6.6.7.0.99', 'snmp_trap', 'pdu:box-1'],
    ['.1.3.6.1.4.1.232.0.6026', 'bmc_event', 'server:box-1'],
  ])('%s is %s', async (trap, type, entity) => {
    expect(await eventOf(notification(trap))).toMatchObject({ type, entity });
  });

  test('alarms that arise and end', async () => {
    const alarm = (trap: number, number: number) =>
      notification(
        `UPS-MIB::upsTraps.0.${trap}`,
        `UPS-MIB::upsAlarmDescr.1 = OID: UPS-MIB::upsWellKnownAlarms.${number}`,
      );
    expect(await eventOf(alarm(3, 2))).toMatchObject({ type: 'ups_transfer', message: 'the UPS runs on battery' });
    expect(await eventOf(alarm(4, 2))).toMatchObject({ type: 'ups_restored', severity: 3 });
    expect(await eventOf(alarm(3, 16))).toMatchObject({ type: 'fan_failure' });
    const own = notification(
      'UPS-MIB::upsTraps.0.3',
      'UPS-MIB::upsAlarmDescr.1 = OID: SNMPv2-SMI::enterprises.534.1.7.99',
    );
    expect(await eventOf(own)).toMatchObject({ type: 'ups_alarm', message: 'alarm 1.3.6.1.4.1.534.1.7.99' });
  });

  test('Raritan: the state and the kind of sensor decide', async () => {
    const change = (value: string) => notification('SNMPv2-SMI::enterprises.13742.6.0.61', value);
    const inlet = (type: number, state: number) =>
      change(`SNMPv2-SMI::enterprises.13742.6.5.2.3.1.3.1.1.${type} = INTEGER: ${state}`);
    expect(await eventOf(inlet(1, 6))).toMatchObject({ type: 'pdu_overload', entity: 'pdu:box-1' });
    expect(await eventOf(inlet(4, 2))).toMatchObject({ type: 'voltage_sag' });
    expect(await eventOf(inlet(4, 6))).toMatchObject({ type: 'voltage_swell' });
    expect(await eventOf(inlet(4, 4))).toMatchObject({ type: 'voltage_restored' });
    const breaker = change('SNMPv2-SMI::enterprises.13742.6.5.3.3.1.3.1.2.15 = INTEGER: 0');
    const event = await eventOf(breaker);
    expect(event).toMatchObject({ type: 'breaker_trip', entity: 'pdu:box-1', severity: 0 });
    expect(event.attributes.breaker).toBe('2');
  });

  test('Server Technology and Eaton: outlets by their index', async () => {
    const sentry = notification(
      'SNMPv2-SMI::enterprises.1718.4.100.0.6',
      'SNMPv2-SMI::enterprises.1718.4.1.6.3.1.1.1.1.2 = INTEGER: 13',
    );
    expect(await eventOf(sentry)).toMatchObject({ type: 'breaker_trip', entity: 'pdu:box-1' });
    const eaton = notification(
      'SNMPv2-SMI::enterprises.534.6.6.7.0.30',
      'EATON-EPDU-MIB::outletControlStatus.0.4 = INTEGER: off(0)',
    );
    expect(await eventOf(eaton)).toMatchObject({ type: 'outlet_off', entity: 'outlet:box-1/outlet-4' });
  });

  test('iDRAC: its own words and status', async () => {
    const text = notification(
      'SNMPv2-SMI::enterprises.674.10892.5.3.2.1.0.2171',
      'SNMPv2-SMI::enterprises.674.10892.5.3.1.2.0 = STRING: "The input power for power supply 2 is lost."',
      'SNMPv2-SMI::enterprises.674.10892.5.3.1.3.0 = INTEGER: 5',
    );
    expect(await eventOf(text)).toMatchObject({
      type: 'bmc_event',
      severity: 0,
      entity: 'server:box-1',
      message: 'The input power for power supply 2 is lost.',
    });
  });

  test('a forwarded trap belongs to its sender, not to the proxy', async () => {
    const text = notification(
      'UPS-MIB::upsTraps.0.1',
      'SNMP-COMMUNITY-MIB::snmpTrapAddress.0 = IpAddress: 10.9.9.9',
    ).replace('box-1', '<UNKNOWN>');
    expect(await eventOf(text)).toMatchObject({ entity: 'ups:10.9.9.9' });
    const v1 =
      '2026-01-01 10:00:00 proxy [UDP: [10.0.0.1]:1025] (via <UNKNOWN> [10.0.0.77]): SNMPv2-SMI::enterprises.318\n\tEnterprise Specific Trap (5) Uptime: 0:00:01.00\n';
    const { rows, entities } = await read(v1);
    expect(rows.event).toMatchObject([{ type: 'ups_transfer' }]);
    expect(entities.get('ups:10.0.0.77')?.aliases).toEqual(['ip_address=10.0.0.77']);
  });

  test('the kind of a device is remembered for traps that do not state it', async () => {
    const text =
      notification('.1.3.6.1.4.1.318.0.5') + notification('SNMPv2-MIB::coldStart').replace('10:00:00', '10:05:00');
    const { rows } = await read(text);
    expect(rows.event.map(({ entity, type }) => [entity, type])).toEqual([
      ['ups:box-1', 'ups_transfer'],
      ['ups:box-1', 'snmp_trap'],
    ]);
  });
});

describe('hostile and foreign input', () => {
  test('a record that is no trap is a reject', async () => {
    const text = [
      'some other line',
      '2026-13-45 10:00:00 a [UDP: [10.0.0.5]:1]:',
      'SNMPv2-MIB::snmpTrapOID.0 = OID: UPS-MIB::upsTraps.0.1',
      '2026-01-01 10:00:00 a [UDP: [10.0.0.5]:1]:',
      'nothing in it',
      'Xyz 99 10:00:00 nms snmptrapd[1]: 10.0.0.5: Cold Start Trap (0) Uptime: 0:00:00.00',
    ].join('\n');
    expect(reasonsOf(await read(text))).toEqual([
      'no trap of snmptrapd',
      '2026-13-45 10:0 is not a time that exists',
      'a trap without snmpTrapOID and without a generic kind',
      '"Xyz" is no month',
    ]);
  });

  test('names of prototypes, huge numbers, endless records', async () => {
    const text =
      notification(
        '.1.3.6.1.4.1.318.0.99999999999999999999',
        'constructor::toString.0 = INTEGER: 1',
        'A::b = Timeticks: (1e999) x',
      ) + notification('UPS-MIB::upsTraps.0.1', `A::b.0 = STRING: "${'x\n'.repeat(400_000)}"`);
    const { rows } = await read(text);
    expect(rows.event.map(({ type }) => type)).toEqual(['snmp_trap', 'ups_transfer']);
    expect(JSON.parse(rows.event[0]?.attributes as string).values['constructor::toString.0']).toBe('INTEGER: 1');
    expect(String(rows.event[1]?.raw).length).toBeLessThan(300_000);
  });

  test('lines that would keep a pattern busy', async () => {
    const dots = '1.'.repeat(100_000);
    const text = `2026-01-01 10:00:00 a [UDP: [10.0.0.5]:1]: ${dots}\n${'['.repeat(50_000)}\n${'A::b.'.repeat(40_000)}\n`;
    expect((await read(text)).rows.reject).toHaveLength(1);
    expect(snmpTraps.detect(new FileHead(Buffer.from(text.slice(0, 65_536))))).toBe(false);
  });

  test.each([
    ['a walk', 'UPS-MIB::upsBatteryStatus.0 = INTEGER: 2\nUPS-MIB::upsOutputSource.0 = INTEGER: 3\n'],
    ['syslog of others', 'Jan  1 10:00:00 nms sshd[812]: Trap (5) Uptime: 1\nJan  1 10:00:00 nms kernel: [1.0] x\n'],
    ['JSON that quotes a trap', `{"message": ${JSON.stringify(notification('UPS-MIB::upsTraps.0.1'))}}\n`],
    [
      'a log with dates and brackets',
      '2026-01-01 10:00:00 app [main]: started\n2026-01-01 10:00:01 app [main]: a = b\n',
    ],
  ])('%s is not claimed', (_, text) => {
    expect(snmpTraps.detect(new FileHead(Buffer.from(text)))).toBe(false);
  });

  test('a log of traps is claimed by nothing else', () => {
    for (const name of ['snmptrapd.log', 'syslog.txt']) {
      const head = new FileHead(Buffer.from(fixture(name)));
      expect(sources.filter((source) => source.detect(head)).map(({ id }) => id)).toEqual(['snmp-traps']);
    }
  });
});
