import type { Severity } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { appendEvent } from '../event-details/append-event.ts';
import type { SnmpWalk } from './walk.ts';

/** RFC 1628 upsAlarmTable. */
const DESCRIPTION = '1.3.6.1.2.1.33.1.6.2.1.2';
const TIME = '1.3.6.1.2.1.33.1.6.2.1.3';
const UPTIME = '1.3.6.1.2.1.1.3.0';
const WELL_KNOWN = '1.3.6.1.2.1.33.1.6.3.';
const NANOS_PER_TICK = 10_000_000;

export interface UpsAlarm {
  readonly name: string;
  readonly message: string;
  readonly type: EventType;
  readonly severity: Severity;
}

const alarm = (name: string, message: string, severity: Severity, type: EventType = 'ups_alarm'): UpsAlarm => ({
  name,
  message,
  severity,
  type,
});

/** RFC 1628 upsWellKnownAlarms, by their last number. */
const alarms: Readonly<Record<number, UpsAlarm>> = {
  1: alarm('upsAlarmBatteryBad', 'a battery needs to be replaced', 'high', 'ups_battery_low'),
  2: alarm('upsAlarmOnBattery', 'the UPS runs on battery', 'high', 'ups_transfer'),
  3: alarm('upsAlarmLowBattery', 'the battery is low', 'critical', 'ups_battery_low'),
  4: alarm('upsAlarmDepletedBattery', 'the battery is depleted', 'critical', 'ups_battery_low'),
  5: alarm('upsAlarmTempBad', 'a temperature is out of tolerance', 'high', 'temperature_high'),
  6: alarm('upsAlarmInputBad', 'an input is out of tolerance', 'high'),
  7: alarm('upsAlarmOutputBad', 'an output is out of tolerance', 'critical'),
  8: alarm('upsAlarmOutputOverload', 'the output is overloaded', 'high'),
  9: alarm('upsAlarmOnBypass', 'the load is on bypass', 'medium'),
  10: alarm('upsAlarmBypassBad', 'the bypass is out of tolerance', 'medium'),
  11: alarm('upsAlarmOutputOffAsRequested', 'the output is off as requested', 'medium', 'ups_output_off'),
  12: alarm('upsAlarmUpsOffAsRequested', 'the UPS is off as requested', 'medium'),
  13: alarm('upsAlarmChargerFailed', 'the charger failed', 'high'),
  14: alarm('upsAlarmUpsOutputOff', 'the output is off', 'critical', 'ups_output_off'),
  15: alarm('upsAlarmUpsSystemOff', 'the UPS system is off', 'critical'),
  16: alarm('upsAlarmFanFailure', 'a fan failed', 'high', 'fan_failure'),
  17: alarm('upsAlarmFuseFailure', 'a fuse failed', 'high', 'breaker_trip'),
  18: alarm('upsAlarmGeneralFault', 'a general fault', 'high'),
  19: alarm('upsAlarmDiagnosticTestFailed', 'a diagnostic test failed', 'medium'),
  20: alarm('upsAlarmCommunicationsLost', 'the agent lost the UPS', 'medium'),
  21: alarm('upsAlarmAwaitingPower', 'the output is off and awaits power', 'critical'),
  22: alarm('upsAlarmShutdownPending', 'a shutdown is pending', 'high'),
  23: alarm('upsAlarmShutdownImminent', 'a shutdown is imminent', 'critical'),
  24: alarm('upsAlarmTestInProgress', 'a test is in progress', 'low'),
};

/** The meaning of an alarm's OID or name; vendor-specific alarms keep their OID. */
export function upsAlarm(descriptor: string): UpsAlarm {
  const oid = descriptor.replace(/^\./, '');
  const number = oid.startsWith(WELL_KNOWN) ? Number(oid.slice(WELL_KNOWN.length)) : Number.NaN;
  const byName = /upsAlarm\w+$/.exec(oid)?.[0];
  return (
    alarms[number] ?? Object.values(alarms).find(({ name }) => name === byName) ?? alarm(oid, `alarm ${oid}`, 'medium')
  );
}

/**
 * The active alarms at the time of the walk, and their start: a row's time is the sysUpTime of that moment, so it
 * cannot be dated without the current sysUpTime.
 *
 * @param knownAlarms alarms that are already written; alarms that left the table are removed
 */
export function appendUpsAlarms(
  builder: BatchBuilder,
  walk: SnmpWalk,
  ups: number,
  captured_ns: bigint,
  knownAlarms: Set<string>,
): void {
  const now = walk.number(UPTIME);
  const activeAlarms = new Set<string>();
  const before = new Map([...knownAlarms].map((key) => [key.slice(0, key.lastIndexOf(' ')), key]));
  for (const [index, value] of walk.below(DESCRIPTION)) {
    const { message, name, severity, type } = upsAlarm(value.text);
    const then = walk.number(`${TIME}.${index}`);
    const row = `${index} ${value.text}`;
    const known = before.get(row);
    // An alarm that is read while it appears or ends may lack its time: it is the same alarm.
    const isKnown = known !== undefined && (Number.isNaN(then) || known === `${row} NaN` || known === `${row} ${then}`);
    const key = isKnown && Number.isNaN(then) ? known : `${row} ${then}`;
    activeAlarms.add(key);
    knownAlarms.add(key);
    if (isKnown) continue;
    // An uptime below the alarm's time has wrapped after 497 days or is from another run.
    const ago = now - then;
    const dated = ago >= 0 && Number.isFinite(ago);
    if (!dated) builder.remark('UPS alarms without a usable sysUpTime: dated at the time of the recording');
    appendEvent(builder, {
      entity: ups,
      time_ns: dated ? captured_ns - BigInt(Math.round(ago * NANOS_PER_TICK)) : captured_ns,
      type,
      severity,
      message,
      origin: 'snmp',
      original_id: index,
      attributes: {
        alarm: name,
        oid: value.text,
        uptime_ticks: Number.isFinite(then) ? then : undefined,
        time_from: dated ? 'sysUpTime' : 'time of the walk',
      },
      raw: `${DESCRIPTION}.${index} = ${value.text}`,
    });
  }
  for (const key of knownAlarms) if (!activeAlarms.has(key)) knownAlarms.delete(key);
}
