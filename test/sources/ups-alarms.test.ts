import { expect, test } from 'vitest';
import { numberValue, type SnmpValue } from '../../src/main/sources/snmp/snmp-value.ts';
import { appendUpsAlarms } from '../../src/main/sources/snmp/ups-alarms.ts';
import { SnmpWalk } from '../../src/main/sources/snmp/walk.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';

const ROW = '1.3.6.1.2.1.33.1.6.2.1';
const LOW: SnmpValue = { kind: 'oid', number: Number.NaN, text: '1.3.6.1.2.1.33.1.6.3.3' };

/** How many alarms a poll reports; `raised`: of row 7, by the agent's clock. */
function poll(knownAlarms: Set<string>, raised: number | undefined, isPresent = true): number {
  const values = new Map<string, SnmpValue>([['1.3.6.1.2.1.1.3.0', numberValue(500)]]);
  if (isPresent) values.set(`${ROW}.2.7`, LOW);
  if (raised !== undefined) values.set(`${ROW}.3.7`, numberValue(raised));
  const builder = new BatchBuilder();
  appendUpsAlarms(builder, new SnmpWalk(values), builder.entity('ups', 'ups-a'), 10n ** 18n, knownAlarms);
  return builder.table('event').count;
}

test('a row that is read without its time, before or after, is no other alarm; one raised again is', () => {
  const knownAlarms = new Set<string>();
  expect([
    poll(knownAlarms, undefined),
    poll(knownAlarms, 100),
    poll(knownAlarms, 100),
    poll(knownAlarms, undefined),
    poll(knownAlarms, 100),
  ]).toEqual([1, 0, 0, 0, 0]);
  expect(poll(knownAlarms, 400)).toBe(1);
  expect([poll(knownAlarms, undefined, false), poll(knownAlarms, 400)]).toEqual([0, 1]);
});
