import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, appendSample, attributesText } from '../../../model/rows/records.ts';
import { type MetricName, metrics } from '../../../model/telemetry/metric.ts';
import { implausible } from '../../../model/telemetry/plausible-reading.ts';
import { codeNumber, scaledValue } from './decode-value.ts';
import { type Device, identifyDevice } from './device.ts';
import type { Code, Reading } from './meaning.ts';
import { appendNeighbours } from './neighbours.ts';
import { appendPhysicalParts } from './physical-parts.ts';
import { limitNames } from './profile.ts';
import { profiles, profilesIn } from './profiles.ts';
import type { Column, Table } from './read-profile.ts';
import { holds, numberAt, Row } from './row.ts';
import { enterPlace, placeOf, type RowPlace } from './row-place.ts';
import type { SnmpValue } from './snmp-value.ts';
import { appendUpsAlarms } from './ups-alarms.ts';
import type { SnmpWalk } from './walk.ts';

const UPTIME = '1.3.6.1.2.1.1.3.0';
interface Session {
  readonly builder: BatchBuilder;
  readonly walk: SnmpWalk;
  readonly device: Device;
  readonly timeOf: TimeOf;
  readonly pollState: PollState;
}

/** When an object was read. */
export type TimeOf = (oid: string) => bigint;

/** What one poll of a device has written, so that the next does not repeat it. */
export interface PollState {
  /** Entities whose `contains` edge is written, and neighbours. */
  readonly contained: Set<string>;
  /** Alarms in the device's table, each with the time it was raised. */
  readonly alarms: Set<string>;
  /** Objects whose value was implausible and was rejected. */
  readonly doubted: Set<string>;
}
export const newPollState = (): PollState => ({ contained: new Set(), alarms: new Set(), doubted: new Set() });

/**
 * Reads the answers of one agent about its device into rows. The profiles have the meaning; the origin of the answers
 * does not matter. Yields where a batch may be handed over.
 *
 * @param otherwise the device's name if it does not report one
 * @param pollState for a device that is polled repeatedly
 */
export function* readDevice(
  builder: BatchBuilder,
  walk: SnmpWalk,
  otherwise: string,
  timeOf: TimeOf,
  pollState = newPollState(),
  known = profiles(),
): Generator<void, Device> {
  const device = identifyDevice(walk, otherwise, known);
  const session: Session = { builder, walk, device, timeOf, pollState };
  deviceEntity(session);
  const ticks = walk.number(UPTIME);
  if (ticks >= 0)
    appendSample(builder, {
      entity: deviceEntity(session),
      metric: { name: 'system.uptime', unit: 's', description: 'Time since the agent started' },
      time_ns: timeOf(UPTIME),
      value: ticks / 100,
    });
  for (const profile of profilesIn(walk, known))
    for (const table of profile.tables) if (walk.has(table.at)) yield* readTable(session, table);
  appendNeighbours(builder, walk, { device, self: deviceEntity(session) }, pollState.contained);
  appendPhysicalParts(builder, walk, { device, self: deviceEntity(session) }, pollState.contained);
  // Alarms are dated relative to the current sysUpTime.
  appendUpsAlarms(builder, walk, deviceEntity(session), timeOf(UPTIME), pollState.alarms);
  return device;
}

const deviceEntity = ({ builder, device }: Session): number =>
  builder.entity(device.kind, device.id, device.aliases, attributesText(device.attributes));

function* readTable(session: Session, table: Table): Generator<void> {
  const rows = new Map<string, { readonly row: Row; readonly place: RowPlace | undefined }>();
  for (const [key, column] of Object.entries(table.columns)) {
    for (const [index, value] of session.walk.below(`${table.at}.${key}`)) {
      if (table.index.length === 0 && index !== '0') continue;
      let found = rows.get(index);
      if (!found) {
        const row = new Row(session.walk, table, index);
        const isUsed = !table.when || holds(row, table.when);
        found = { row, place: isUsed ? placeOf(session.device, table, row) : undefined };
        rows.set(index, found);
      }
      if (!found.place) continue;
      appendValue(session, found.row, found.place, column, value, `${table.at}.${key}.${index}`, table.mib);
      yield;
    }
  }
}

function appendValue(
  session: Session,
  row: Row,
  place: RowPlace,
  column: Column,
  value: SnmpValue,
  oid: string,
  mib: string,
): void {
  const meaning = column.of(row);
  if (meaning === undefined) return;
  if (typeof meaning === 'string') {
    session.builder.remark(meaning);
    return;
  }
  const attributes = { ...place.attributes, ...meaning.attributes };
  const origin = { object: `${mib}::${column.object}`, oid };
  if ('codes' in meaning) appendCode(session, place, { ...meaning, object: column.object }, value, attributes, origin);
  else appendReading(session, row, place, meaning, value, attributes, origin);
}

function append(
  session: Session,
  place: RowPlace,
  metric: MetricName | { readonly name: string; readonly unit: string },
  value: number,
  attributes: Readonly<Record<string, unknown>>,
): void {
  const { builder, pollState, timeOf } = session;
  const doubt = typeof metric === 'string' ? implausible(metric, value) : undefined;
  if (typeof metric === 'string' && doubt !== undefined) return reject(session, metric, { value, doubt, attributes });
  const entity = enterPlace(builder, deviceEntity(session), place, (from, to, key) => {
    if (pollState.contained.has(key)) return;
    pollState.contained.add(key);
    appendEdge(builder, { from, kind: 'contains', to, provenance: 'snmp' });
  });
  appendSample(builder, { entity, metric, time_ns: timeOf(String(attributes['oid'])), value, attributes });
}

interface Doubted {
  readonly value: number;
  readonly doubt: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Reported once per object, not at every poll; plausible values are still accepted. */
function reject(
  { builder, device, pollState }: Session,
  metric: MetricName,
  { value, doubt, attributes }: Doubted,
): void {
  const oid = String(attributes['oid']);
  if (pollState.doubted.has(oid)) return;
  pollState.doubted.add(oid);
  const valueText = `${metric} ${value} ${metrics[metric].unit} (${attributes['object']} ${oid})`;
  builder.reject(device.id, 0, doubt, valueText);
  builder.remark(`${device.id} reports ${valueText}: ${doubt}; such values are left out`);
}

function appendReading(
  session: Session,
  row: Row,
  place: RowPlace,
  reading: Reading,
  value: SnmpValue,
  attributes: Readonly<Record<string, unknown>>,
  origin: Readonly<Record<string, string>>,
): void {
  const scaled = scaledValue(reading, value.number);
  if (scaled === undefined) return;
  append(session, place, reading.metric, scaled, { ...attributes, ...limitsOf(reading, row), ...origin });
}

function limitsOf(reading: Reading, row: Row): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const name of limitNames) {
    const where = reading.limits[name];
    if (where === undefined) continue;
    const raw = numberAt(row, where);
    const value = scaledValue(reading, raw, where.scale ?? reading.scale);
    // Zero means "no limit set", except for temperatures, where zero can be a lower limit.
    const cold = reading.metric === 'hw.temperature' && (raw < 0 || name.startsWith('lower'));
    if (value !== undefined && (cold || raw > 0)) limits[name] = value;
  }
  return limits;
}

function appendCode(
  session: Session,
  place: RowPlace,
  code: Code & { readonly object: string },
  value: SnmpValue,
  attributes: Readonly<Record<string, unknown>>,
  origin: Readonly<Record<string, string>>,
): void {
  const number = codeNumber(code, value);
  if (!Number.isFinite(number)) return;
  const { as, codes } = code;
  const common = as && Object.hasOwn(as.map, number) ? as.map[number] : undefined;
  if (as && common !== undefined) append(session, place, as.metric, common, { ...attributes, ...origin });
  if (common !== undefined && as?.same) return;
  const known = Object.keys(codes).length > 0 ? { codes } : {};
  append(session, place, { name: code.object, unit: '1' }, number, { ...attributes, ...known, ...origin });
}
