import type { EntityKind } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { attributesText } from '../../../model/rows/records.ts';
import type { Device } from './device.ts';
import type { Table } from './read-profile.ts';
import { attributesOf, formValue, type Row } from './row.ts';

/** What a row of a table is about: an entity, and the attributes of its series. */
export interface RowPlace {
  /** From the device down to the entity: each contains the next. */
  readonly path: readonly { readonly kind: EntityKind; readonly id: string; readonly name: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

const partKinds = new Set(['outlet', 'port', 'psu']);

/** Undefined when the index is too short for the table. */
export function placeOf(device: Device, table: Table, row: Row): RowPlace | undefined {
  const parts = row.index.split('.');
  const { index } = table;
  if (parts.length < index.length) return undefined;
  const named = index.findLastIndex((part) => part !== '-' && part !== '*');
  const path: RowPlace['path'][number][] = [];
  const attributes: Record<string, unknown> = {};
  const name = String((table.name && formValue(row, table.name)) ?? '');
  const label = String((table.label && formValue(row, table.label)) ?? '');
  let prefix = '';
  let owner = device.id;
  const unit = table.unit === undefined ? '' : row.text(table.unit);
  const enterUnit = (number: string, unitName: string) => {
    // The first unit is the device that answers, whether it counts from 0 or from 1.
    if (number === '' || number === '0' || number === '1') return;
    owner = `${device.id}/${device.kind}-${number}`;
    path.push({ kind: device.kind, id: owner, name: unitName });
  };
  enterUnit(unit, '');
  for (const [position, part] of index.entries()) {
    const number = position === index.length - 1 ? parts.slice(position).join('.') : parts[position]!;
    const last = position === named;
    if (part === '-') continue;
    if (part === '*') prefix += `${number}.`;
    else if (part === 'unit') enterUnit(number, last ? name : '');
    else if (part === 'group' && index[position + 1] === 'port') prefix += number === '1' ? '' : `${number}.`;
    else if (partKinds.has(part)) {
      const id = `${owner}/${part}-${(last && label) || prefix + number}`;
      path.push({ kind: part as EntityKind, id, name });
    } else attributes[part] = (last && label) || attributeOf(part, prefix + number);
  }
  if (name !== '' && !path.some((step) => step.name === name) && index[named] !== 'unit') attributes.name = name;
  return { path, attributes: { ...attributes, ...attributesOf(row, table.attributes) } };
}

const attributeOf = (part: string, number: string): string =>
  part === 'phase' && /^[123]$/.test(number) ? `L${number}` : number;

/** The batch's number of a row's entity; `contains` is called for each step of the path. */
export function enterPlace(
  builder: BatchBuilder,
  device: number,
  { path }: RowPlace,
  contains: (from: number, to: number, key: string) => void,
): number {
  let entity = device;
  for (const { kind, id, name } of path) {
    const next = builder.entity(kind, id, [], attributesText({ name }));
    contains(entity, next, `${kind}:${id}`);
    entity = next;
  }
  return entity;
}
