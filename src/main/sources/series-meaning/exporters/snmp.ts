import { convertUnit } from '../../../../base/convert-unit.ts';
import { lazy } from '../../../../base/lazy.ts';
import type { EntityKind } from '../../../../model/entity.ts';
import { metrics } from '../../../../model/telemetry/metric.ts';
import type { Reading } from '../../nvidia/reading.ts';
import { codeNumber, scaledValue } from '../../snmp/decode-value.ts';
import type { Code, Reading as Measurement } from '../../snmp/meaning.ts';
import { profiles } from '../../snmp/profiles.ts';
import type { Column, Table } from '../../snmp/read-profile.ts';
import { attributesOf, Row } from '../../snmp/row.ts';
import { textValue } from '../../snmp/snmp-value.ts';
import { SnmpWalk } from '../../snmp/walk.ts';
import type { Labels, Naming, Relation, Subject, Surroundings } from '../scraped.ts';
import { unitOf } from '../unit-of.ts';
import { deviceSubject } from './device-subject.ts';
import type { Exported, Exporter } from './exporter.ts';

/** An object of a MIB, as a profile knows it. */
interface MibObject {
  readonly kind: EntityKind;
  readonly table: Table;
  readonly column: Column;
}

/** Objects by name; a name with another meaning in each of several MIBs is left out. */
const objects = lazy((): ReadonlyMap<string, MibObject> => {
  const found = new Map<string, MibObject | undefined>();
  for (const { kind, tables } of profiles())
    for (const table of tables)
      for (const column of Object.values(table.columns)) {
        const one = { kind, table, column };
        const known = found.get(column.object);
        // Objects of standards (below mib-2) are meant, where vendors copied their names.
        const isBetter = known !== undefined && !isStandard(known) && isStandard(one);
        if (!found.has(column.object) || isBetter) found.set(column.object, one);
        else if (known && !isStandard(known) && known.table.base !== table.base && !isAlike(known, one))
          found.set(column.object, undefined);
      }
  return new Map([...found].flatMap(([name, one]) => (one ? [[name, one] as const] : [])));
});
const isStandard = ({ table }: MibObject): boolean => table.at.startsWith('1.3.6.1.2.1.');

const EMPTY = new SnmpWalk(new Map());
function isAlike(a: MibObject, b: MibObject): boolean {
  const meaning = ({ column, table }: MibObject) => column.of(new Row(EMPTY, table, '1'));
  return JSON.stringify(meaning(a)) === JSON.stringify(meaning(b));
}

/** Names of MIBs are in camel case; Telegraf puts its measurement before them: `snmp_upsOutputSource`. */
const OBJECT = /^(?:.*_)?([a-z][a-zA-Z0-9]*[a-z0-9][A-Z][a-zA-Z0-9]*|[a-z]+[A-Z0-9][a-zA-Z0-9]+)(?:_info|_total)?$/;
function objectOf(name: string): MibObject | undefined {
  const object = name.length > 200 ? undefined : OBJECT.exec(name)?.[1];
  return object === undefined ? undefined : objects().get(object);
}

/** Labels that Prometheus and Telegraf add by themselves. */
const OWN_LABELS = /^(?:instance|job|module|auth|hostname|agent_host|host|source|sysName|monitor|region|cluster)$/i;
const isPlace = (key: string): boolean => !OWN_LABELS.test(key);

/** Which label has the number of a part of the index: `st4PhaseIndex`, `outletIndex`, `rPDU2PhaseStatusIndex`. */
function indexOf({ index }: Table, labels: Labels): string {
  const numbers = [...labels].filter(([key, value]) => isPlace(key) && /^\d{1,9}(?:\.\d{1,9}){0,9}$/.test(value));
  if (index.length === 1 && numbers.length === 1) return numbers[0]![1];
  const parts = index.map((part) => numbers.find(([key]) => part.length > 1 && key.toLowerCase().includes(part))?.[1]);
  return parts.every((part) => part !== undefined) ? parts.join('.') : '';
}

function phaseOf(labels: Labels): string | undefined {
  const stated = [...labels].find(([key]) => isPlace(key) && /phase|line/i.test(key))?.[1] ?? '';
  return /^[123]$/.test(stated) ? `L${stated}` : /^L[123](?:-?(?:L[123]|N))?$/.test(stated) ? stated : undefined;
}

/** A state that a label has, with 1 for the one that holds (EnumAsStateSet, EnumAsInfo of snmp_exporter). */
const isStateSet = ({ labels }: Exported, { column }: MibObject): boolean => {
  const label = labels.get(column.object);
  return label !== undefined && !/^-?\d+$/.test(label);
};

function codeReading(series: Exported, one: MibObject, code: Code): Reading {
  const { as } = code;
  const common = (raw: number): number | undefined => (as && Object.hasOwn(as.map, raw) ? as.map[raw] : undefined);
  const metric = as?.metric ?? one.column.object;
  if (!isStateSet(series, one)) return { metric, unit: '1', value: as ? common : (raw) => raw };
  const raw = codeNumber(code, textValue(series.labels.get(one.column.object) ?? ''));
  const state = as ? common(raw) : Number.isNaN(raw) ? undefined : raw;
  return { metric, unit: '1', dropped: [one.column.object], value: (holds) => (holds === 0 ? undefined : state) };
}

function measured(series: Exported, measurement: Measurement): Reading {
  const { metric } = measurement;
  const [name, unit] = typeof metric === 'string' ? [metric, metrics[metric].unit] : [metric.name, metric.unit];
  const stated = unitOf(series.name, series.unit);
  // Numbers with a unit are scaled already; without one they are as the agent answered.
  if (stated !== '' && convertUnit(1, stated, unit) !== undefined) return { metric: name, unit: stated };
  return { metric: name, unit, value: (raw) => scaledValue(measurement, raw) };
}

function readingOf(series: Exported): Reading | undefined {
  const one = objectOf(series.name);
  if (!one) return undefined;
  const row = new Row(EMPTY, one.table, indexOf(one.table, series.labels));
  const meaning = one.column.of(row);
  if (meaning === undefined || typeof meaning === 'string') return undefined;
  const phase = phaseOf(series.labels);
  const stated = { ...(row.index === '' ? {} : attributesOf(row, one.table.attributes)), ...meaning.attributes };
  const attributes = Object.fromEntries(
    Object.entries({ ...stated, ...(phase === undefined ? {} : { phase }) })
      .filter(([, value]) => value !== '' && !/^L?NaN$|^L$/.test(String(value)))
      .map(([key, value]) => [key, String(value)]),
  );
  const reading = 'codes' in meaning ? codeReading(series, one, meaning) : measured(series, meaning);
  return Object.keys(attributes).length === 0 ? reading : { ...reading, attributes };
}

/** Parts that are entities, by the words of labels that number them. */
const parts: readonly (readonly [kind: 'outlet' | 'port' | 'psu', words: RegExp])[] = [
  ['outlet', /outlet|receptacle/i],
  ['port', /port(?!al)/i],
  ['psu', /psu|power_?supply/i],
];

/** The device that answered, and its outlet, port or supply where a label numbers one. */
function namingOf({ name, labels }: Exported, surroundings: Surroundings): Naming {
  const one = objectOf(name);
  const device = deviceSubject(one?.kind ?? 'device', labels, surroundings);
  if (device.subject.id === '') return device;
  for (const [kind, words] of parts) {
    if (!one?.table.index.includes(kind)) continue;
    const own = [...labels].filter(([key, value]) => isPlace(key) && value !== '' && words.test(key));
    const written =
      own.find(([key]) => /label|designator|ID$/i.test(key)) ?? own.find(([, value]) => /^\d+$/.test(value));
    if (!written) continue;
    const part: Subject = { kind, id: `${device.subject.id}/${kind}-${written[1]}` };
    const relations: Relation[] = [{ from: device.subject, kind: 'contains', to: part }];
    return { subject: part, relations, used: new Set([...device.used, ...own.map(([key]) => key)]) };
  }
  return device;
}

/**
 * Polled objects of MIBs by their names: snmp_exporter, Telegraf's input `snmp`, and any poller that keeps names. What they are
 * is in the profiles of the SNMP devices, in their raw units.
 */
export const snmpObjects: Exporter = {
  title: 'objects of MIBs (snmp_exporter 0.29, Telegraf 1.3x snmp)',
  names: [],
  owns: (name) => objectOf(name) !== undefined,
  reading: readingOf,
  naming: namingOf,
};
