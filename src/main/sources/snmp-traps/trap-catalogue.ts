import type { EntityKind, Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';

/** The meaning of a trap. */
export interface Trap {
  readonly name: string;
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
  /** Kind of the sender, if only one kind sends this trap. */
  readonly kind?: EntityKind;
}

type Line = readonly [name: string, type: EventType, severity: Severity, message: string];
const below = (prefix: string, kind: EntityKind | undefined, lines: Readonly<Record<number, Line>>) =>
  Object.entries(lines).map(
    ([number, [name, type, severity, message]]) =>
      [`${prefix}.${number}`, { name, type, severity, message, ...(kind && { kind }) }] as const,
  );

/** RFC 3418 snmpTraps. The kind of the device decides what restarted. */
const standard = below('1.3.6.1.6.3.1.1.5', undefined, {
  1: ['coldStart', 'snmp_trap', 'medium', 'the agent restarted and its configuration may have changed'],
  2: ['warmStart', 'snmp_trap', 'low', 'the agent restarted'],
  3: ['linkDown', 'link_down', 'high', 'a link went down'],
  4: ['linkUp', 'link_up', 'low', 'a link came up'],
  5: ['authenticationFailure', 'snmp_trap', 'low', 'a request with a wrong community or key'],
});

/** RFC 1628 upsTraps; the type of added and removed alarms depends on the alarm. */
const ups = below('1.3.6.1.2.1.33.2', 'ups', {
  1: ['upsTrapOnBattery', 'ups_transfer', 'high', 'the UPS runs on battery'],
  2: ['upsTrapTestCompleted', 'ups_alarm', 'low', 'a test of the UPS ended'],
  3: ['upsTrapAlarmEntryAdded', 'ups_alarm', 'medium', 'an alarm arose'],
  4: ['upsTrapAlarmEntryRemoved', 'ups_alarm', 'low', 'an alarm ended'],
});

/** RFC 3621 pethNotifications. */
const powerOverEthernet = below('1.3.6.1.2.1.105.0', 'switch', {
  1: ['pethPsePortOnOffNotification', 'snmp_trap', 'medium', 'a port began or stopped to deliver power'],
  2: [
    'pethMainPowerUsageOnNotification',
    'port_power_exceeded',
    'medium',
    'the power of all ports exceeds its threshold',
  ],
  3: ['pethMainPowerUsageOffNotification', 'snmp_trap', 'low', 'the power of all ports is below its threshold again'],
});

/** PowerNet-MIB (enterprise 318): UPSs. */
const apcUps = below('1.3.6.1.4.1.318.0', 'ups', {
  1: ['communicationLost', 'ups_alarm', 'medium', 'the agent lost the UPS'],
  2: ['upsOverload', 'ups_alarm', 'high', 'the UPS is overloaded'],
  3: ['upsDiagnosticsFailed', 'ups_alarm', 'medium', 'the self-test failed'],
  4: ['upsDischarged', 'ups_battery_low', 'critical', 'the batteries are discharged'],
  5: ['upsOnBattery', 'ups_transfer', 'high', 'the UPS runs on battery'],
  6: ['smartBoostOn', 'voltage_sag', 'medium', 'the UPS boosts a low input voltage'],
  7: ['lowBattery', 'ups_battery_low', 'critical', 'the batteries are low'],
  8: ['communicationEstablished', 'ups_alarm', 'low', 'the agent found the UPS again'],
  9: ['powerRestored', 'ups_restored', 'low', 'the mains are back'],
  10: ['upsDiagnosticsPassed', 'ups_alarm', 'low', 'the self-test passed'],
  11: ['returnFromLowBattery', 'ups_alarm', 'low', 'the batteries are no longer low'],
  12: ['upsTurnedOff', 'ups_output_off', 'critical', 'the UPS was turned off'],
  13: ['upsSleeping', 'ups_output_off', 'high', 'the UPS sleeps: its output is off'],
  14: ['upsWokeUp', 'ups_output_on', 'low', 'the UPS woke up'],
  15: ['upsRebootStarted', 'ups_output_off', 'high', 'the UPS turns its output off and on again'],
  17: ['upsBatteryNeedsReplacement', 'ups_battery_low', 'high', 'the batteries need to be replaced'],
  20: ['hardwareFailureBypass', 'ups_alarm', 'high', 'the load is on bypass: the UPS failed'],
  21: ['softwareBypass', 'ups_alarm', 'medium', 'the load is on bypass by command'],
  22: ['switchedBypass', 'ups_alarm', 'medium', 'the load is on bypass by switch'],
  23: ['returnFromBypass', 'ups_alarm', 'low', 'the load is off bypass'],
  24: ['bypassPowerSupplyFailure', 'ups_alarm', 'high', 'the supply of the bypass failed'],
  25: ['baseFanFailure', 'fan_failure', 'high', 'a fan failed'],
  26: ['batteryPackCommLost', 'ups_alarm', 'medium', 'external batteries are lost'],
  30: ['upsTurnedOn', 'ups_output_on', 'low', 'the UPS was turned on'],
  31: ['smartAvrReducing', 'voltage_swell', 'medium', 'the UPS reduces a high input voltage'],
  33: ['upsOverloadCleared', 'ups_alarm', 'low', 'the UPS is no longer overloaded'],
  34: ['smartBoostOff', 'voltage_restored', 'low', 'the input voltage is no longer boosted'],
  35: ['smartAvrReducingOff', 'voltage_restored', 'low', 'the input voltage is no longer reduced'],
  36: ['upsBatteryReplaced', 'ups_alarm', 'low', 'the batteries were replaced'],
  38: ['dischargeCleared', 'ups_alarm', 'low', 'the batteries are no longer discharged'],
  39: ['gracefullShutdown', 'ups_alarm', 'high', 'a graceful shutdown began'],
  49: ['badVoltage', 'ups_alarm', 'high', 'the output voltage is out of range'],
  50: ['badVoltageCleared', 'ups_alarm', 'low', 'the output voltage is in range again'],
  51: ['chargerFailure', 'ups_alarm', 'high', 'the charger failed'],
  52: ['chargerFailureCleared', 'ups_alarm', 'low', 'the charger works again'],
  53: ['batteryOverTemperature', 'temperature_high', 'high', 'the batteries are too hot'],
  54: ['batteryOverTemperatureCleared', 'temperature_restored', 'low', 'the batteries are no longer too hot'],
  55: ['smartRelayFault', 'ups_alarm', 'high', 'a relay failed'],
  77: ['abnormalCondition', 'ups_alarm', 'high', 'an abnormal condition'],
  78: ['abnormalConditionCleared', 'ups_alarm', 'low', 'an abnormal condition ended'],
  80: ['noBatteries', 'ups_battery_low', 'critical', 'no batteries are attached'],
});
const apcProbes = below('1.3.6.1.4.1.318.0', undefined, {
  59: ['temperatureThresholdViolation1', 'temperature_high', 'high', 'a temperature is out of its limits'],
  60: ['temperatureThresholdViolationCleared1', 'temperature_restored', 'low', 'a temperature is within its limits'],
  63: ['temperatureThresholdViolation2', 'temperature_high', 'high', 'a temperature is out of its limits'],
  64: ['temperatureThresholdViolationCleared2', 'temperature_restored', 'low', 'a temperature is within its limits'],
});
/** PowerNet-MIB: PDUs; 41 to 43 are from the first switched PDUs. */
const apcPdu = below('1.3.6.1.4.1.318.0', 'pdu', {
  41: ['outletOn', 'outlet_on', 'low', 'an outlet was turned on'],
  42: ['outletOff', 'outlet_off', 'high', 'an outlet was turned off'],
  43: ['outletReboot', 'outlet_off', 'medium', 'an outlet is turned off and on again'],
  268: ['rPDUOutletOn', 'outlet_on', 'low', 'an outlet was turned on'],
  269: ['rPDUOutletOff', 'outlet_off', 'high', 'an outlet was turned off'],
  274: ['rPDUNearOverload', 'pdu_overload', 'medium', 'the load is near its limit'],
  275: ['rPDUNearOverloadCleared', 'snmp_trap', 'low', 'the load is no longer near its limit'],
  276: ['rPDUOverload', 'pdu_overload', 'high', 'the load is above its limit'],
  277: ['rPDUOverloadCleared', 'snmp_trap', 'low', 'the load is below its limit again'],
});

/** By OID; the `.0` that conversion from SNMP v1 puts before the number is left out if the MIB has none. */
export const traps: ReadonlyMap<string, Trap> = new Map([
  ...standard,
  ...ups,
  ...powerOverEthernet,
  ...apcUps,
  ...apcProbes,
  ...apcPdu,
]);
const byName = new Map([...traps.values()].map((trap) => [trap.name, trap]));

/** A trap by its OID, or by its name, since MIBs of other vendors use the same names. */
export function findTrap(oid: string, written: string): Trap | undefined {
  return (
    traps.get(oid) ??
    traps.get(oid.replace(/\.0\.(\d+)$/, '.$1')) ??
    byName.get(/([A-Za-z]\w*)$/.exec(written)?.[1] ?? '')
  );
}

/** Management controllers of servers: iDRAC, HPE, Platform Event Traps. */
export const controllers: readonly string[] = ['1.3.6.1.4.1.674.10892', '1.3.6.1.4.1.232', '1.3.6.1.4.1.3183.1'];
