import { describe, expect, test } from 'vitest';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import { readFacilityWords } from '../../src/main/sources/facility-words/read-facility-words.ts';
import { kernelLog } from '../../src/main/sources/kernel-log/index.ts';
import { snmpTraps } from '../../src/main/sources/snmp-traps/index.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import { readSource } from '../support/read-source.ts';

/** Sentences and names of several vendors; the last word is what each reports. */
const sentences: readonly (readonly [kind: EntityKind | undefined, text: string, type: string | undefined])[] = [
  // Breakers and fuses.
  ['pdu', 'Circuit breaker tripped on branch 3', 'breaker_trip'],
  ['pdu', 'Breaker CB2 has opened', 'breaker_trip'],
  ['pdu', 'st4OcpStatusEvent . st4OcpStatus breakerTripped', 'breaker_trip'],
  ['pdu', 'notifyGroupBreakerStatus . groupBreakerStatus breakerOff', 'breaker_trip'],
  ['pdu', 'notifyGroupBreakerStatus . groupBreakerStatus breakerOn', 'voltage_restored'],
  ['pdu', 'Branch circuit breaker 3: tripped, cleared', 'voltage_restored'],
  ['pdu', 'Outlet fuse blown', 'breaker_trip'],
  ['pdu', 'Breaker 2 current above upper critical threshold', 'pdu_overload'],
  // Feeds and phases.
  ['pdu', 'Phase L2 lost', 'voltage_sag'],
  ['pdu', 'Phase L2 restored', 'voltage_restored'],
  ['pdu', 'ATS: source A failed, load transferred to source B', 'voltage_sag'],
  ['pdu', 'Input feed B is no longer lost', 'voltage_restored'],
  ['pdu', 'Under-voltage on input line L1', 'voltage_sag'],
  ['ups', 'Input voltage above upper limit', 'voltage_swell'],
  // Loads and outlets.
  ['pdu', 'rPDUBankPhaseOverload', 'pdu_overload'],
  ['pdu', 'Bank 2 near overload', 'pdu_overload'],
  ['pdu', 'Bank 2 overload cleared', 'snmp_trap'],
  ['ups', 'UPS output overload', 'ups_alarm'],
  ['pdu', 'Outlet 12 switched off', 'outlet_off'],
  ['pdu', 'Outlet 12 turned on', 'outlet_on'],
  // UPSs.
  ['ups', 'UPS on battery', 'ups_transfer'],
  ['ups', 'UPS is running from batteries', 'ups_transfer'],
  ['ups', 'No longer on battery', 'ups_restored'],
  ['ups', 'Utility power failure', 'ups_transfer'],
  ['pdu', 'Event: Input Power Loss - Active', 'voltage_sag'],
  ['pdu', 'AC power lost', 'voltage_sag'],
  ['pdu', 'Utility power failure', 'utility_outage'],
  ['ups', 'Utility power restored', 'ups_restored'],
  ['ups', 'lgpEventLowBatteryWarning', 'ups_battery_low'],
  ['ups', 'lgpEventLoadTransferedToBypass', 'ups_alarm'],
  ['ups', 'Inverter fault', 'ups_alarm'],
  ['ups', 'Redundancy lost', 'ups_alarm'],
  // Cooling.
  ['cooling', 'Pump 1 fault', 'cooling_failure'],
  ['cooling', 'Pump 1 fault cleared', 'coolant_flow_restored'],
  ['cooling', 'Changeover to pump 2', 'cooling_failure'],
  ['cooling', 'Secondary flow rate low', 'coolant_flow_low'],
  ['cooling', 'lgpConditionLowWaterFlow', 'coolant_flow_low'],
  ['cooling', 'Low flow alarm returned to normal', 'coolant_flow_restored'],
  ['cooling', 'Leak detected at rack manifold', 'coolant_leak'],
  ['cooling', 'lgpConditionWaterUnderFloor', 'coolant_leak'],
  ['cooling', 'Supply air temperature high', 'temperature_high'],
  ['cooling', 'Return temperature alarm cleared', 'temperature_restored'],
  ['cooling', 'Coolant supply over temperature', 'temperature_high'],
  ['cooling', 'lgpEventConditionEntryAdded . lgpConditionLossOfAirflow', 'cooling_failure'],
  ['cooling', 'lgpEventConditionEntryRemoved . lgpConditionLossOfAirflow', 'fan_restored'],
  ['cooling', 'EC fan 3 failure', 'fan_failure'],
  ['switch', 'jnxFanFailure', 'fan_failure'],
  ['switch', 'jnxFanOK', 'fan_restored'],
  ['switch', 'ciscoEnvMonSuppStatusChangeNotif . ciscoEnvMonSupplyState normal', undefined],
  ['switch', 'jnxPowerSupplyFailure', 'psu_failure'],
  ['cooling', 'Compressor 1 high head pressure', 'cooling_failure'],
  ['cooling', 'Unit shut down by alarm', 'cooling_failure'],
  // Nothing happened.
  ['ups', 'UPS passed a self-test', undefined],
  ['pdu', 'User admin logged in from 10.0.0.9', undefined],
  ['pdu', 'Outlet 12 configuration changed', undefined],
  ['cooling', 'Scheduled pump rotation: pump 2 leads', undefined],
  ['cooling', 'Leak detection cable ok', undefined],
  ['cooling', 'lgpConditionChangeFilter', undefined],
  ['pdu', 'Firmware update finished', undefined],
  [undefined, 'the agent was restarted', undefined],
];

test.each(sentences)('%s: %s', (kind, text, type) => {
  expect(readFacilityWords(text, kind)?.type).toBe(type);
});

/** A v2c notification as the daemon logs it. */
const notification = (trap: string, ...values: string[]): string =>
  `2026-01-01 10:00:00 box-1 [UDP: [10.0.0.5]:161->[10.0.0.1]:162]:\n${[
    'DISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (100) 0:00:01.00',
    `SNMPv2-MIB::snmpTrapOID.0 = OID: ${trap}`,
    ...values,
  ].join('\t')}\n`;

describe('traps without a table here', () => {
  test.each([
    [
      'PDU2-MIB by names, with the type of the sensor by its label',
      'PDU2-MIB::overCurrentProtectorSensorStateChange',
      ['PDU2-MIB::measurementsOverCurrentProtectorSensorState.1.2.trip = INTEGER: open(0)'],
      ['pdu:box-1', 'breaker_trip'],
    ],
    [
      'PDU2-MIB: an inlet under its limit',
      'PDU2-MIB::inletSensorStateChange',
      ['PDU2-MIB::measurementsInletSensorState.1.1.rmsVoltage = INTEGER: belowLowerCritical(2)'],
      ['pdu:box-1', 'voltage_sag'],
    ],
    [
      'PDU2-MIB: a breaker that is closed again',
      '.1.3.6.1.4.1.13742.6.0.65',
      ['.1.3.6.1.4.1.13742.6.5.3.3.1.3.1.2.15 = INTEGER: 1'],
      ['pdu:box-1', 'voltage_restored'],
    ],
    [
      'EATON-EPDU-MIB by names',
      'EATON-EPDU-MIB::notifyGroupBreakerStatus',
      ['EATON-EPDU-MIB::groupBreakerStatus.0.2 = INTEGER: breakerOff(2)'],
      ['pdu:box-1', 'breaker_trip'],
    ],
    [
      'EATON-EPDU-MIB by numbers',
      '.1.3.6.1.4.1.534.6.6.7.0.23',
      ['.1.3.6.1.4.1.534.6.6.7.5.1.1.5.0.2 = INTEGER: 2'],
      ['pdu:box-1', 'breaker_trip'],
    ],
    [
      'LIEBERT-GP by numbers',
      '.1.3.6.1.4.1.476.1.42.3.3.0.1',
      ['.1.3.6.1.4.1.476.1.42.3.2.3.1.2.7 = OID: .1.3.6.1.4.1.476.1.42.3.2.1.18'],
      ['device:box-1', 'coolant_flow_low'],
    ],
    [
      'a sentence in a MIB that nobody knows',
      '.1.3.6.1.4.1.55555.1.0.3',
      ['.1.3.6.1.4.1.55555.1.2.1.0 = STRING: "CDU-2: primary pump failed, standby pump running"'],
      ['device:box-1', 'cooling_failure'],
    ],
    [
      'a sentence that is ended by a state beside it',
      'ACME-CDU-MIB::cduAlarmTrap',
      ['ACME-CDU-MIB::alarmText.1 = STRING: "Low secondary flow"', 'ACME-CDU-MIB::alarmState.1 = INTEGER: cleared(2)'],
      ['device:box-1', 'coolant_flow_restored'],
    ],
    [
      'a sentence without quotation marks',
      'ACME-PDU-MIB::alarmTrap',
      [
        'ACME-PDU-MIB::load.1 = Gauge32: 230 RMS Volts',
        'ACME-PDU-MIB::text.1 = STRING: Rack PDU: branch breaker tripped',
      ],
      ['device:box-1', 'breaker_trip'],
    ],
    [
      'nothing that is known',
      'ACME-CDU-MIB::doorOpened',
      ['ACME-CDU-MIB::doorName.1 = STRING: "Front door"'],
      ['device:box-1', 'snmp_trap'],
    ],
  ])('%s', async (_, trap, values, wanted) => {
    const { rows } = await readSource(snmpTraps, notification(trap, ...values), {});
    expect(rows.reject).toEqual([]);
    expect(rows.event.map(({ entity, type }) => [entity, type])).toEqual([wanted]);
  });
});

test.each([
  ['breaker_trip', 'Circuit breaker CB2 tripped, phase L3', { breaker: 'CB2', phase: 'L3' }],
  ['pdu_overload', 'Rack PDU: Overload, phase 1. Load is 17 A.', { phase: 'L1' }],
  ['outlet_off', 'Outlet 12 switched off', { outlet: '12' }],
  ['voltage_sag', 'ATS: source A failed', { feed: 'A' }],
  ['outlet_off', 'an outlet was turned off', {}],
])('the part that it names: %s, %s', (type, message, details) => {
  expect(readDetails({ type, message, attributes: {} })).toEqual(details);
});

test('sentences in syslog count where a power or cooling device wrote them, and not in logs of software', async () => {
  const lines = [
    'Apr 27 17:42:49 rack-01-PDU-A pdud: Circuit breaker CB2 tripped',
    'Apr 27 17:43:49 cdu-row1 ctrl: Pump 1 fault',
    'Apr 27 17:44:49 cdu-row1 ctrl: Pump 1 fault cleared',
    'Apr 27 17:45:49 web-7 gateway[12]: circuit breaker "orders" is open',
    'Apr 27 17:46:49 startups-1 app: on battery',
    '',
  ].join('\n');
  const { rows } = await readSource(kernelLog, lines, {});
  expect(rows.event.map(({ entity, type }) => [entity, type])).toEqual([
    ['pdu:rack-01-PDU-A', 'breaker_trip'],
    ['cooling:cdu-row1', 'cooling_failure'],
    ['cooling:cdu-row1', 'coolant_flow_restored'],
  ]);
});
