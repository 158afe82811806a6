import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import type { EventType } from '../../src/model/telemetry/event-catalog.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';

const of = (type: EventType, message: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  readDetails({ type, message, attributes });

test.each([
  'NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python3, GPU has fallen off the bus.',
  'NVRM: Xid (0000:9b:00): 79, GPU has fallen off the bus',
  'Xid 79: GPU has fallen off the bus',
  'XID=79',
  'xid: 79',
  'Xid error 79 on GPU 3',
  'GPU has fallen off the bus.',
])('the number of an Xid is read from: %s', (message) => {
  expect(of('xid_error', message)).toMatchObject({ xid: 79 });
});

test('what an importer stated comes before the words, and an SXid is none', () => {
  expect(of('xid_error', 'Xid 13', { xid: 79 })).toMatchObject({ xid: 79 });
  expect(of('xid_error', 'SXid (PCI:0000:c1:00.0): 12028, Non-fatal').xid).toBeUndefined();
  expect(of('link_down', 'Xid 79').xid).toBeUndefined();
});

test.each([
  ['PSU-B input lost', {}, { supply: 'PSU-B' }],
  ['Power supply redundancy lost: PSU-B input lost, PSU-A carries the load', {}, { supply: 'PSU-B' }],
  ['PS2 Status: Power Supply input lost (AC/DC) - Assertion', {}, { supply: 'PS2' }],
  ['The input power for power supply 1 is lost.', {}, { supply: 'power supply 1' }],
  ['redundancy lost', { failed_psu: 'PSU-A' }, { supply: 'PSU-A' }],
  ['PSU failover from feed A to feed B', {}, { feed: 'A' }],
  ['Power supply redundancy is lost.', {}, {}],
])('the supply or feed that failed is read from: %s', (message, attributes, expected) => {
  const { supply, feed } = of('psu_failover', message, attributes);
  expect({ ...(supply ? { supply } : {}), ...(feed ? { feed } : {}) }).toEqual(expected);
});

test('a hostile text costs no time and no other detail', () => {
  expect(of('cpu_power_cap', 'sw power cap 1.2.3. W -> 9 W').qualifiers).toEqual(['at_limit']);
  expect(of('cpu_power_cap', 'limit 1,200 W -> 900 W').limit).toBeUndefined();
  const long = '9'.repeat(500);
  expect(of('cpu_power_cap', `${long} W -> ${long} W`).limit).toBeUndefined();
  expect(of('xid_error', `Xid${' '.repeat(5_000_000)}79`).xid).toBeUndefined();
});

test('the same words mean the same for the ranking and for patterns', () => {
  for (const message of ['On battery: self-test', 'battery test running', 'runtime calibration'])
    expect(of('ups_transfer', message).qualifiers).toEqual(['self_test']);
  expect(of('cpu_power_cap', 'power limit 350 W -> 200 W').limit).toEqual({ from: 350, to: 200 });
  expect(of('thermal_throttle', 'HW thermal slowdown, hw_thermal').qualifiers).toEqual(['hardware_slowdown']);
  expect(of('machine_check', 'Uncorrected error').qualifiers).toBeUndefined();
});

test('NVIDIA in its own words is a GPU that fell off the bus, also in a case of before', async () => {
  const folder = await temporaryFolder();
  const events = join(folder, 'events.json');
  const record = {
    id: 'a',
    timestamp: '2024-01-15T14:32:01Z',
    source: 'nvml',
    type: 'xid_error',
    severity: 'critical',
  };
  const raw_message = 'NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus';
  await writeFile(events, JSON.stringify({ events: [{ ...record, device_id: 'GPU-0', raw_message }] }));
  const core = await openTestCore();
  await core.import([events]);
  const found = async (api: (typeof core)['api']) =>
    (await api['patterns.list']({})).findings.map(({ pattern }) => pattern);
  const now = await found(core.api);
  expect(now.length).toBeGreaterThan(0);
  await core.close();
  // As schema 6 left it.
  const stored = await openCaseFolder(core.path, { create: false });
  const session = await stored.engine.session();
  await session.execute(
    "drop view events; alter table event drop column details; update meta set value = '6' where key = 'schema_version'",
  );
  session.close();
  await stored.engine.close();
  const again = await openTestCore(core.path);
  expect(await found(again.api)).toEqual(now);
  const { rows } = await again.api['query.sql']({ sql: 'select details from events' });
  expect(rows).toEqual([['{"xid":79}']]);
});

test.each([
  ['thermal_throttle', 'software thermal slowdown at 84 C', {}, { metric: 'hw.temperature', value: 84, unit: 'Cel' }],
  ['hw_slowdown', 'GPU temperature 91.5 °C', {}, { metric: 'hw.temperature', value: 91.5, unit: 'Cel' }],
  ['thermal_throttle', '', { temperature_c: 84 }, { metric: 'hw.temperature', value: 84, unit: 'Cel' }],
  ['voltage_sag', 'Input voltage fell to 198.6 V', {}, { metric: 'hw.voltage', value: 198.6, unit: 'V' }],
] as const)('the reading of %s is read from "%s" %o', (type, message, attributes, reading) => {
  expect(of(type, message, attributes).reading).toStrictEqual(reading);
});

test.each([
  ['thermal_throttle', 'temperature above its limit of 84 C', {}],
  ['thermal_throttle', 'Supply temperature limit 31 C', { supply_temperature_c: 31 }],
  ['thermal_throttle', 'slowdown at 1,084 C', {}],
  ['voltage_sag', 'voltage below threshold 207 V', { threshold_v: 207 }],
  ['voltage_restored', 'voltage is 230 V', { voltage_v: 230 }],
] as const)('no reading is read from %s "%s" %o', (type, message, attributes) => {
  expect(of(type, message, attributes).reading).toBeUndefined();
});
