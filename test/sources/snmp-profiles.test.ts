import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { profiles, readProfiles } from '../../src/main/sources/snmp/profiles.ts';
import { newPollState, readDevice } from '../../src/main/sources/snmp/read-device.ts';
import { parseProfile } from '../../src/main/sources/snmp/read-profile.ts';
import { numberValue, textValue } from '../../src/main/sources/snmp/snmp-value.ts';
import { SnmpWalk } from '../../src/main/sources/snmp/walk.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { addBatch, emptyReading, type GrowingReading, samplesOf } from '../support/read-source.ts';

const MADE_UP = `# A vendor that does not exist.
vendor: Example
mib: EXAMPLE-MIB
kind: pdu
object_ids: ['99999.1']
base: 1.3.6.1.4.1.99999.{1..2}
identity: { model: ['.1.1'] }
tables:
  - at: '.2.1'
    index: [unit, outlet]
    label: { at: '.3.1.2', parts: -1 }
    name: 3
    when: { column: 9, is_not: 0 }
    attributes: { feed: { column: 8, cases: { 1: A, 2: B }, else: { part: 0, prefix: feed } } }
    columns:
      4: { object: exampleVolts, metric: hw.voltage, scale: 0.1, limits: { upper_critical: 5 } }
      6: { object: exampleState, codes: { 1: off, 2: on }, as: { metric: hw.outlet.state, map: { 1: 0, 2: 1 } } }
      7:
        object: exampleValue
        scale_by: [{ column: 10, as: digits }]
        by:
          column: 11
          cases:
            1: { metric: hw.temperature, fahrenheit: { column: 12, is: 2 } }
            2: { unit: '%' }
          absent: { remark: 'exampleValue: the walk lacks its type' }
`;

function read(rows: Readonly<Record<string, number | string>>): GrowingReading {
  const values = Object.entries(rows).map(
    ([oid, value]) => [`1.3.6.1.${oid}`, typeof value === 'number' ? numberValue(value) : textValue(value)] as const,
  );
  const builder = new BatchBuilder();
  const known = readProfiles({ example: MADE_UP });
  const steps = readDevice(builder, new SnmpWalk(new Map(values)), 'walk', () => 0n, newPollState(), known);
  while (!steps.next().done);
  const reading = emptyReading();
  addBatch(reading, builder.finish(0));
  return reading;
}
const row = (model: number, index: string, columns: Readonly<Record<number, number | string>>) =>
  Object.fromEntries(
    Object.entries(columns).map(([column, value]) => [`4.1.99999.${model}.2.1.${column}.${index}`, value]),
  );

test('a profile is a YAML file: a made-up vendor has readings, names, limits, units and remarks', () => {
  const reading = read({
    '2.1.1.5.0': 'box-1',
    '2.1.1.2.0': '1.3.6.1.4.1.99999.1.7',
    '4.1.99999.2.1.1.0': 'E-100',
    '4.1.99999.1.3.1.2.1': 'left',
    ...row(1, '1.1', { 3: 'gpu node', 4: 2301, 5: 2500, 6: 2, 7: 2120, 8: 2, 9: 1, 10: 1, 11: 1, 12: 2 }),
    ...row(2, '2.7', { 4: 2290, 7: 55, 8: 3, 10: 0, 11: 2 }),
    ...row(1, '1.8', { 4: 2222, 9: 0 }),
    ...row(1, '1.9', { 7: 1 }),
  });
  expect(JSON.parse(reading.entities.get('pdu:box-1')!.attributes)).toMatchObject({
    vendor: 'Example',
    model: 'E-100',
  });
  expect(reading.entities.get('outlet:box-1/outlet-left')?.attributes).toBe('{"name":"gpu node"}');
  const found = samplesOf({ ...reading, remarks: [...reading.remarks] }).map(
    ({ attributes, entity, metric, unit, value }) => {
      const { feed, upper_critical } = attributes;
      return [entity, metric, unit, value, feed, upper_critical];
    },
  );
  expect(found).toEqual([
    ['outlet:box-1/outlet-left', 'hw.voltage', 'V', 230.1, 'B', 250],
    ['outlet:box-1/outlet-left', 'hw.outlet.state', '1', 1, 'B', undefined],
    ['outlet:box-1/outlet-left', 'exampleState', '1', 2, 'B', undefined],
    ['outlet:box-1/outlet-left', 'hw.temperature', 'Cel', 100, 'B', undefined],
    ['outlet:box-1/pdu-2/outlet-7', 'hw.voltage', 'V', 229, 'feed2', undefined],
    ['outlet:box-1/pdu-2/outlet-7', 'exampleValue', '%', 55, 'feed2', undefined],
  ]);
  expect([...reading.remarks]).toContain('exampleValue: the walk lacks its type');
});

const folder = join(import.meta.dirname, '../../src/main/sources/snmp/profiles');
const bundled = readdirSync(folder);

test.each(bundled)('%s passes the schema', (name) => {
  expect(() => parseProfile(name, readFileSync(join(folder, name), 'utf8'))).not.toThrow();
});

test('every file is read', () => {
  expect(profiles()).toHaveLength(bundled.length);
  expect(profiles()).toBe(profiles());
});

test.each([
  ['metric: hw.voltage', 'metrik: hw.voltage', /^x\.yaml: line 16, tables\.0\.columns\.4\.metrik: Unrecognized key/],
  ['metric: hw.voltage', 'metric: hw.volts', /^x\.yaml: line 16, tables\.0\.columns\.4\.metric: no such metric$/],
  [
    'metric: hw.voltage, ',
    '',
    /^x\.yaml: line 16, tables\.0\.columns\.4: a column has a metric, a unit, codes or cases/,
  ],
  ["at: '.2.1'", 'at: .2', /^x\.yaml: line 9, tables\.0\.at: /],
  ['parts: -1', 'part_s: -1', /^x\.yaml: line 11, tables\.0\.label\.part_s: Unrecognized key/],
  ['column: 9, is_not', 'column: 9, isnt', /^x\.yaml: line 13, tables\.0\.when\.isnt: Unrecognized key/],
  [
    "2: { unit: '%' }",
    "2: { units: '%' }",
    /^x\.yaml: line 25, tables\.0\.columns\.7\.by\.cases\.2\.units: Unrecognized key/,
  ],
  ['column: 8, cases', 'cases', /^x\.yaml: line 14, tables\.0\.attributes\.feed: it takes one of column, at and part$/],
  ['as: digits', 'as: digit', /^x\.yaml: line 20, tables\.0\.columns\.7\.scale_by\.0\.as: /],
  ['kind: pdu', 'kind: pdu\nkind: ups', /^x\.yaml: line \d+: duplicated mapping key/],
])('a mistake in a profile is one clear line: %s as %s', (right, wrong, message) => {
  expect(() => parseProfile('x.yaml', MADE_UP.replace(right, wrong))).toThrow(message);
});
