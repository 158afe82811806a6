import type { EntityKind, Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { columnAt } from '../snmp/column-at.ts';
import type { Device } from '../snmp/device.ts';
import type { Code } from '../snmp/meaning.ts';
import { profiles } from '../snmp/profiles.ts';
import { Row } from '../snmp/row.ts';
import { placeOf, type RowPlace } from '../snmp/row-place.ts';
import { upsAlarm } from '../snmp/ups-alarms.ts';
import type { SnmpWalk } from '../snmp/walk.ts';
import { controllers, findTrap, type Trap } from './trap-catalogue.ts';
import { type TrapWords, wordedMeaning } from './trap-words.ts';

export interface TrapMeaning {
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
  readonly name: string;
  /** The outlet, port or sensor of the values. */
  readonly place?: RowPlace;
}

const ALARM = '1.3.6.1.2.1.33.1.6.2.1.2';
/** PowerNet-MIB mtrapargsString and iDRAC alertMessage: what happened, as text. */
const TEXTS = ['1.3.6.1.4.1.318.2.3.3', '1.3.6.1.4.1.674.10892.5.3.1.2'];
/** iDRAC alertCurrentStatus. */
const DELL_STATUS = '1.3.6.1.4.1.674.10892.5.3.1.3';

/** Notifications that a vendor's power and cooling devices share (LIEBERT-GP-NOTIFICATIONS-MIB). */
const SHARED = '1.3.6.1.4.1.476.1.42.3.';

/** Kind of a device by the MIB that has its trap: `PDU2-MIB::inletSensorStateChange`; undefined where several kinds have it. */
export function kindByModule(written: string): EntityKind | undefined {
  const module = /^([A-Za-z][\w-]*)::/.exec(written)?.[1];
  const kinds = new Set(profiles().flatMap(({ kind, mib, vendor }) => (mib === module && vendor !== '' ? [kind] : [])));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

/** Kind of a device by the OID of its trap or enterprise. */
export function kindByOid(...oids: readonly string[]): EntityKind | undefined {
  let best: { readonly length: number; readonly kind: EntityKind } | undefined;
  for (const oid of oids.filter((one) => !one.startsWith(SHARED)))
    for (const { kind, objectIds } of profiles())
      for (const prefix of objectIds)
        if (`${oid}.`.startsWith(`1.3.6.1.4.1.${prefix}.`) && prefix.length > (best?.length ?? 0))
          best = { length: prefix.length, kind };
  return (
    best?.kind ??
    (oids.some((oid) => controllers.some((one) => `${oid}.`.startsWith(`${one}.`))) ? 'server' : undefined)
  );
}

/**
 * The meaning of a trap: by its OID if that is specific, else by a value that is a state known to the profiles.
 * Raritan, Server Technology and Eaton report all their thresholds in the second way. Else by the words of its name and values.
 */
export function meaningOf(words: TrapWords, values: SnmpWalk, device: Device): TrapMeaning {
  const { oid, written } = words;
  const trap = findTrap(oid, written);
  const text = TEXTS.map((column) => values.text(`${column}.0`) || values.below(column)[0]?.[1].text || '').find(
    Boolean,
  );
  const alarm = alarmOf(trap, values);
  if (alarm) return alarm;
  const state = stateIn(values, device);
  const name = trap?.name ?? (/[A-Za-z]/.test(written) ? written : oid);
  if (trap && trap.type !== 'snmp_trap')
    return { ...trap, message: text || trap.message, ...(state && { place: state.place }) };
  if (state)
    return { type: state.type, severity: state.severity, message: text || state.message, name, place: state.place };
  // Controllers of servers state a severity beside their text.
  const isController = controllers.some((one) => oid.startsWith(`${one}.`));
  const worded = trap || isController ? undefined : wordedMeaning(words, device.kind);
  if (worded)
    return {
      type: worded.type,
      severity: worded.severity,
      message: text || worded.sentence || messageOf(words, worded.name ?? name),
      name: worded.name ?? name,
    };
  const restart = restartOf(trap, device.kind);
  if (restart && trap) return { ...restart, message: trap.message, name };
  if (isController) return { type: 'bmc_event', severity: dellSeverity(values), message: text || `trap ${name}`, name };
  return {
    type: 'snmp_trap',
    severity: trap?.severity ?? 'low',
    message: text || trap?.message || `trap ${name}`,
    name,
  };
}

/** Name of a notification, with the states and conditions that it carries. */
function messageOf({ shown }: TrapWords, name: string): string {
  const states = Object.values(shown).flatMap(
    (value) => /^(?:INTEGER|OID): ?(?:\S*::)?([A-Za-z]\S{0,80})$/.exec(value)?.[1] ?? [],
  );
  return [name, ...states].join(' ');
}

/** upsTrapAlarmEntryAdded and Removed carry the alarm; the end of "on battery" is the return of the mains. */
function alarmOf(trap: Trap | undefined, values: SnmpWalk): TrapMeaning | undefined {
  if (trap?.name !== 'upsTrapAlarmEntryAdded' && trap?.name !== 'upsTrapAlarmEntryRemoved') return undefined;
  const [found] = values.below(ALARM);
  if (!found) return undefined;
  const { message, name, severity, type } = upsAlarm(found[1].text);
  if (trap.name.endsWith('Added')) return { type, severity, message, name };
  return { type: alarmEnds[type] ?? 'ups_alarm', severity: 'low', message: `no longer: ${message}`, name };
}

const alarmEnds: Partial<Record<EventType, EventType>> = {
  ups_transfer: 'ups_restored',
  ups_output_off: 'ups_output_on',
  temperature_high: 'temperature_restored',
};

/** A card in a UPS restarts without its UPS; a switch or a server restarts as a whole. */
function restartOf(trap: Trap | undefined, kind: EntityKind): Pick<TrapMeaning, 'type' | 'severity'> | undefined {
  if (trap?.name !== 'coldStart' && trap?.name !== 'warmStart') return undefined;
  if (kind === 'switch') return { type: 'switch_reboot', severity: 'high' };
  return kind === 'server' ? { type: 'host_rebooted', severity: 'high' } : undefined;
}

function dellSeverity(values: SnmpWalk): Severity {
  const status = values.number(`${DELL_STATUS}.0`);
  return status === 5 || status === 6 ? 'critical' : status === 4 ? 'high' : status === 3 ? 'low' : 'medium';
}

interface State {
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
  readonly place: RowPlace;
}

/** The first value that is a known state and means that an event happened. */
function stateIn(values: SnmpWalk, device: Device): State | undefined {
  for (const [oid, value] of values.below('1.3.6.1')) {
    const full = `1.3.6.1.${oid}`;
    const found = columnAt(full);
    if (!found || Number.isNaN(value.number)) continue;
    const row = new Row(values, found.table, found.index);
    const column = found.column.of(row);
    const { object } = found.column;
    const place = placeOf(device, found.table, row);
    if (column === undefined || typeof column === 'string' || !('codes' in column) || !place) continue;
    const happened = happening(column, value.number, `${object} ${column.attributes['sensor_type'] ?? ''}`);
    if (happened) {
      const label = column.codes[value.number] ?? String(value.number);
      return { ...happened, message: `${object} is ${label}`, place };
    }
  }
  return undefined;
}

type Happening = readonly [type: EventType, severity: Severity];
/** By metric and value. */
const happenings: Readonly<Record<string, Readonly<Record<number, Happening>>>> = {
  'hw.outlet.state': { 0: ['outlet_off', 'high'], 1: ['outlet_on', 'low'] },
  'hw.load.state': { 3: ['pdu_overload', 'medium'], 4: ['pdu_overload', 'high'] },
  'hw.ups.output_source': {
    2: ['ups_output_off', 'critical'],
    3: ['ups_restored', 'low'],
    4: ['ups_alarm', 'medium'],
    5: ['ups_transfer', 'high'],
  },
  'hw.battery.state': {
    3: ['ups_battery_low', 'critical'],
    4: ['ups_battery_low', 'critical'],
    5: ['ups_battery_low', 'high'],
  },
};
/** Threshold states by what is measured: below, within, above. */
const thresholds: readonly (readonly [
  what: RegExp,
  below: Happening | undefined,
  within: Happening,
  above: Happening,
])[] = [
  [/volt/i, ['voltage_sag', 'high'], ['voltage_restored', 'low'], ['voltage_swell', 'high']],
  [/temp/i, ['snmp_trap', 'medium'], ['temperature_restored', 'low'], ['temperature_high', 'high']],
  [/current|power|load|va\b|watt/i, undefined, ['snmp_trap', 'low'], ['pdu_overload', 'high']],
];

function happening(column: Code, raw: number, what: string): Pick<State, 'type' | 'severity'> | undefined {
  const is = (found: Happening | undefined) => found && { type: found[0], severity: found[1] };
  // An open fuse or breaker counts in every table.
  const label = column.codes[raw] ?? '';
  if (/^(breakerTripped|fuseBlown|offFuse|onFuse|breakerOff)$/.test(label)) return is(['breaker_trip', 'critical']);
  if (/breaker/i.test(what) && /^(open|closed|breakerOn)$/.test(label))
    return is(label === 'open' ? ['breaker_trip', 'critical'] : ['voltage_restored', 'low']);
  const value = column.as?.map[raw];
  if (!column.as || value === undefined) return undefined;
  if (/\btrip$/.test(what))
    return is(value === 0 ? ['breaker_trip', 'critical'] : value === 1 ? ['voltage_restored', 'low'] : undefined);
  if (what.startsWith('pethPsePortDetectionStatus') && value === 3) return is(['port_power_exceeded', 'high']);
  if (column.as.metric !== 'hw.sensor.state') return is(happenings[column.as.metric]?.[value]);
  const [, below, within, above] = thresholds.find(([measured]) => measured.test(what)) ?? [];
  return is(value >= 5 ? above : value === 4 ? within : value >= 2 ? below : undefined);
}
