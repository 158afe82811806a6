import { expect, test } from 'vitest';
import { numberValue, type SnmpValue } from '../../src/main/sources/snmp/snmp-value.ts';
import { appendUpsAlarms } from '../../src/main/sources/snmp/ups-alarms.ts';
import { SnmpWalk } from '../../src/main/sources/snmp/walk.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';

const ROW = '1.3.6.1.2.1.33.1.6.2.1';
const LOW: SnmpValue = { kind: 'oid', number: Number.NaN, text: '1.3.6.1.2.1.33.1.6.3.3' };

/** How many alarms a poll tells; `raised`: of row 7, by the agent's clock. */
function poll(told: Set<string>, raised: number | undefined, stands = true): number {
  const values = new Map<string, SnmpValue>([['1.3.6.1.2.1.1.3.0', numberValue(500)]]);
  if (stands) values.set(`${ROW}.2.7`, LOW);
  if (raised !== undefined) values.set(`${ROW}.3.7`, numberValue(raised));
  const builder = new BatchBuilder();
  appendUpsAlarms(builder, new SnmpWalk(values), builder.entity('ups', 'ups-a'), 10n ** 18n, told);
  return builder.table('event').count;
}

test('a row that is read without its time, before or after, is no other alarm; one raised again is', () => {
  const told = new Set<string>();
  expect([poll(told, undefined), poll(told, 100), poll(told, 100), poll(told, undefined), poll(told, 100)]).toEqual([
    1, 0, 0, 0, 0,
  ]);
  expect(poll(told, 400)).toBe(1);
  expect([poll(told, undefined, false), poll(told, 400)]).toEqual([0, 1]);
});
