import { assignedName } from '../../../model/incident/assigned-name.ts';
import { type Json, normalizeId, objectOf, objectsOf, textOf } from './format.ts';
import type { Machine } from './machine.ts';
import { type RedfishEntity, redfishEntityKey } from './redfish-entity.ts';
import type { Resource, ResourceTree } from './resource-tree.ts';
import { compareIds } from './resource-tree.ts';

/** A power supply or fan that both models of Redfish may describe. */
export interface Part {
  readonly entity: RedfishEntity;
  /** Member of `Power.PowerSupplies` or `Thermal.Fans`. */
  readonly old: Json | undefined;
  readonly oldResource: Resource | undefined;
  /** Resource of `PowerSubsystem/PowerSupplies` or `ThermalSubsystem/Fans`. */
  readonly resource: Resource | undefined;
}

interface Shape {
  readonly kind: 'psu' | 'cooling';
  readonly prefix: string;
  readonly type: string;
  readonly oldType: string;
  readonly list: string;
}
const shapes: readonly Shape[] = [
  { kind: 'psu', prefix: 'psu', type: 'PowerSupply', oldType: 'Power', list: 'PowerSupplies' },
  { kind: 'cooling', prefix: 'fan', type: 'Fan', oldType: 'Thermal', list: 'Fans' },
];

export const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Finds the supplies and fans of every chassis, each once, and names them. */
export function partsOf(tree: ResourceTree, machine: Machine, names: Map<string, string>): Part[] {
  return shapes.flatMap((shape) => {
    const parts: Part[] = [];
    const old = new Map<string, { resource: Resource; members: Json[] }>();
    for (const resource of tree.ofType(shape.oldType))
      old.set(chassisOf(resource.id), { resource, members: [...objectsOf(resource.doc[shape.list])] });
    const recent = new Map<string, Resource[]>();
    for (const resource of tree.ofType(shape.type)) {
      const chassis = chassisOf(resource.id);
      recent.set(chassis, [...(recent.get(chassis) ?? []), resource]);
    }
    for (const chassis of [...new Set([...old.keys(), ...recent.keys()])].sort(compareIds)) {
      const before = old.get(chassis);
      for (const part of pairUp(shape, { machine, names, chassis }, before, recent.get(chassis) ?? []))
        parts.push(part);
    }
    return parts;
  });
}

/** `/redfish/v1/Chassis/1` of anything below it. */
const chassisOf = (id: string): string =>
  /^(.*?\/(?:Chassis|PowerEquipment\/\w+)\/[^/]+)/.exec(id)?.[1] ?? id.replace(/\/[^/]*$/, '');

interface Home {
  readonly machine: Machine;
  readonly names: Map<string, string>;
  readonly chassis: string;
}

function pairUp(
  shape: Shape,
  home: Home,
  before: { resource: Resource; members: Json[] } | undefined,
  recent: readonly Resource[],
): Part[] {
  const members = before?.members ?? [];
  const positions = new Map(members.map((member, i) => [member, i]));
  const position = (member: Json | undefined) => (member && positions.get(member)) ?? -1;
  const partner = new Map<Resource, Json>();
  const taken = new Set<Json>();
  const match = (resource: Resource, member: Json | undefined) => {
    if (!member || taken.has(member) || partner.has(resource)) return;
    taken.add(member);
    partner.set(resource, member);
  };
  const withSerial = (doc: Json) => assignedName(textOf(doc['SerialNumber']));
  for (const resource of recent) {
    const serial = withSerial(resource.doc);
    if (serial !== '')
      match(
        resource,
        members.find((member) => withSerial(member) === serial),
      );
    const names = new Set(namesOf(resource.doc));
    const named = members.filter((member) => names.has(plain(textOf(member['Name']) || textOf(member['FanName']))));
    if (named.length === 1) match(resource, named[0]);
  }
  // Only the order remains: if both counts are equal, or for one supply in several bays.
  if (members.length === recent.length || (shape.kind === 'psu' && members.length > 0))
    for (const [index, resource] of recent.entries()) match(resource, members[index]);
  const { machine, chassis } = home;
  const server = machine.of(chassis);
  const part = (resource: Resource | undefined, old: Json | undefined): Part => {
    const doc = resource?.doc ?? old ?? {};
    const name = textOf(doc['Id']) || textOf(doc['MemberId']) || String(position(old));
    const place = resource?.id ?? `${before?.resource.id}#/${shape.list}/${position(old)}`;
    const entity: RedfishEntity = {
      kind: shape.kind,
      id: apart(home, { kind: shape.kind, id: `${server.id}/${shape.prefix}-${name}` }, place),
      attributes: {
        name: textOf(doc['Name']) || textOf(doc['FanName']),
        model: assignedName(textOf(doc['Model'])),
        serial: withSerial(doc),
      },
    };
    machine.name(place, entity);
    if (old && before) {
      machine.name(`${before.resource.id}#/${shape.list}/${position(old)}`, entity);
      const own = normalizeId(textOf(old['@odata.id']));
      if (own.includes('#')) machine.name(own, entity);
    }
    return { entity, old, oldResource: old ? before?.resource : undefined, resource };
  };
  const paired = recent.map((resource) => part(resource, partner.get(resource)));
  return [...paired, ...members.filter((member) => !taken.has(member)).map((member) => part(undefined, member))];
}

/** Limit for names; a tree has some hundreds. */
const MOST_NAMES = 100_000;

/** Two boards of one server each have a supply 1, and some firmware calls every member 0. */
function apart({ machine, names, chassis }: Home, entity: RedfishEntity, place: string): string {
  const short = chassis.split('/').at(-1);
  const ids = [entity.id, `${entity.id}@${short}`, `${entity.id}@${short}.${place.split('/').at(-1)}`];
  const isFree = (id: string) => {
    const key = redfishEntityKey({ ...entity, id });
    return !machine.isTaken({ ...entity, id }) && (names.get(key) ?? chassis) === chassis;
  };
  const id = ids.find(isFree) ?? `${entity.id}@${place}`;
  if (names.size < MOST_NAMES) names.set(redfishEntityKey({ ...entity, id }), chassis);
  return id;
}

function namesOf(doc: Json): string[] {
  const label = textOf(objectOf(objectOf(doc['Location'])['PartLocation'])['ServiceLabel']);
  return [textOf(doc['Name']), textOf(doc['Id']), label].map(plain).filter((name) => name !== '');
}
