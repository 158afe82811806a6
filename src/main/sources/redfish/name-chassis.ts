import { assignedName } from '../../../model/incident/assigned-name.ts';
import { type Json, linkOf, linksOf, objectOf, textOf } from './format.ts';
import { type RedfishEntity, redfishEntityKey } from './redfish-entity.ts';
import type { Resource, ResourceTree } from './resource-tree.ts';

/** Kinds of chassis (DSP2046, Chassis.ChassisType) that are parts of a machine, even with a serial number. */
const PART = /^(card|cartridge|component|module|zone|expansion|ipbaseddrive|storageenclosure)$/i;
/** Kinds that contain machines and are not machines, even if they link to the only system. */
const AROUND = /^(rack|rackgroup|row|pod|enclosure)$/i;
const SHELF = /power ?shelf|power ?strip|pdu|psu/i;
/** A GPU baseboard has its own system besides the system that it is part of. */
export const BASEBOARD = /HGX|Baseboard|GPU/i;
/** Chassis of a baseboard and of its parts, if they state no ChassisType. */
const BOARD = /^HGX_|Baseboard/i;
const MOST_STEPS = 8;

/** The entities named so far, by address, and the fallback name for the others. */
export interface Naming {
  readonly tree: ResourceTree;
  readonly entities: Map<string, RedfishEntity>;
  /** Name of the tree. */
  readonly fallback: string;
  readonly remark: (text: string) => void;
}

/**
 * Names every chassis: the machine of the system that it links to, or the machine that it is part of, or, with a serial
 * number, a separate machine. A chassis of several systems belongs to none of them.
 *
 * @returns the machines that no chassis of another machine contains
 */
export function nameChassis(naming: Naming): readonly RedfishEntity[] {
  const names = new ChassisNames(naming);
  names.nameAll();
  return names.outermost();
}

const isPart = ({ id, doc }: Pick<Resource, 'id' | 'doc'>): boolean =>
  PART.test(textOf(doc['ChassisType'])) || BOARD.test(id.split('/').at(-1) ?? '');
const serialOf = (doc: Json): string => assignedName(textOf(doc['SerialNumber']));
const isNamed = (doc: Json): boolean => (serialOf(doc) || assignedName(textOf(doc['AssetTag']))) !== '';
const systemLinks = (doc: Json): readonly string[] => linksOf(objectOf(doc['Links'])['ComputerSystems']);

class ChassisNames {
  private readonly naming: Naming;
  private readonly chassis: readonly Resource[];
  private readonly systems: readonly Resource[];
  /** The outer chassis of each chassis, by address; either of the two states the link. */
  private readonly outer = new Map<string, string>();
  private readonly inner = new Map<string, Resource[]>();
  /** Systems that link to a chassis, by its address. */
  private readonly namedBy = new Map<string, string[]>();
  private readonly bySerial = new Map<string, RedfishEntity>();
  private hasMachine: boolean;

  constructor(naming: Naming) {
    this.naming = naming;
    const { tree, entities } = naming;
    this.chassis = tree.ofType('Chassis');
    this.systems = tree.ofType('ComputerSystem');
    this.hasMachine = [...entities.values()].some(isMachine);
    for (const { id, doc } of this.systems) {
      const entity = entities.get(id);
      if (entity && serialOf(doc) !== '' && !this.bySerial.has(serialOf(doc))) this.bySerial.set(serialOf(doc), entity);
      for (const to of linksOf(objectOf(doc['Links'])['Chassis'])) append(this.namedBy, to, id);
    }
    for (const { id, doc } of this.chassis) {
      const by = linkOf(objectOf(doc['Links'])['ContainedBy']);
      if (by !== '' && by !== id) this.outer.set(id, by);
    }
    for (const { id, doc } of this.chassis)
      for (const to of linksOf(objectOf(doc['Links'])['Contains']))
        if (to !== id && !this.outer.has(to)) this.outer.set(to, id);
    for (const one of this.chassis) append(this.inner, this.outer.get(one.id) ?? '', one);
  }

  nameAll(): void {
    const { entities } = this.naming;
    const unnamed = this.chassis.filter(({ id }) => !entities.has(id));
    const around = new Set(unnamed.filter((one) => this.containsSystems(one)));
    const tops = this.chassis.filter((one) => !this.outer.has(one.id) && !isPart(one));
    for (const one of unnamed) if (!around.has(one)) this.nameBySystem(one, tops.length === 1 && tops[0] === one);
    this.nameByUnseenSystem(unnamed.filter(({ id }) => !entities.has(id)));
    for (const one of unnamed)
      if (!entities.has(one.id) && (around.has(one) || (isNamed(one.doc) && !isPart(one))))
        entities.set(one.id, this.own(one));
    for (const { id } of unnamed) if (!entities.has(id)) this.nameByContainer(id);
    const machines = machinesIn(entities);
    for (const one of unnamed) {
      if (entities.has(one.id)) continue;
      // No link to a machine: part of the only machine, or a separate one if there is none.
      const [only] = machines.length === 1 ? machines : [this.own(one)];
      if (machines.length === 0 && only) machines.push(only);
      if (only) entities.set(one.id, only);
    }
  }

  outermost(): readonly RedfishEntity[] {
    const { entities } = this.naming;
    const contained = new Set<string>();
    for (const { id, doc } of this.chassis) {
      const entity = entities.get(id);
      const outer = entities.get(this.outer.get(id) ?? '');
      if (entity && outer && redfishEntityKey(outer) !== redfishEntityKey(entity))
        contained.add(redfishEntityKey(entity));
      for (const system of this.machinesOf({ id, doc }))
        if (entity && redfishEntityKey(system) !== redfishEntityKey(entity)) contained.add(redfishEntityKey(system));
    }
    return machinesIn(entities).filter((entity) => !contained.has(redfishEntityKey(entity)));
  }

  /** The machines of the systems that a chassis links to, or else that link to it. */
  private machinesOf({ id, doc }: Pick<Resource, 'id' | 'doc'>): readonly RedfishEntity[] {
    const named = systemLinks(doc);
    const systems = named.length > 0 ? named : (this.namedBy.get(id) ?? []);
    const machines = new Map<string, RedfishEntity>();
    for (const system of systems) {
      const entity = this.naming.entities.get(system);
      if (entity) machines.set(redfishEntityKey(entity), entity);
    }
    return [...machines.values()];
  }

  /** A chassis of several machines, or one around the chassis of its only machine. */
  private containsSystems(one: Resource): boolean {
    const [machine, ...others] = this.machinesOf(one);
    if (machine === undefined || others.length > 0) return others.length > 0;
    const serial = serialOf(one.doc);
    if (!AROUND.test(textOf(one.doc['ChassisType'])) || serial === '' || this.bySerial.has(serial)) return false;
    return (this.inner.get(one.id) ?? []).some((inner) =>
      this.machinesOf(inner).some((other) => redfishEntityKey(other) === redfishEntityKey(machine)),
    );
  }

  /** By a linked system, or a system with the same serial number; or if there is one chassis and one system. */
  private nameBySystem(one: Resource, isOnlyTop: boolean): void {
    const [linked] = this.machinesOf(one);
    const [system, ...others] = this.systems;
    const isOnly = isOnlyTop && system && others.length === 0 && systemLinks(one.doc).length === 0;
    const entity = linked ?? this.bySerial.get(serialOf(one.doc)) ?? this.naming.entities.get(isOnly ? system.id : '');
    if (entity) this.naming.entities.set(one.id, entity);
  }

  /** For a crawl without systems: chassis that link to one system are one machine, named by the outermost chassis. */
  private nameByUnseenSystem(chassis: readonly Resource[]): void {
    const groups = new Map<string, Resource[]>();
    for (const one of chassis) {
      const [system, ...others] = systemLinks(one.doc);
      if (system === undefined || others.length > 0 || BASEBOARD.test(system.split('/').at(-1) ?? '')) continue;
      append(groups, system, one);
    }
    for (const members of groups.values()) {
      const within = new Set(members.map(({ id }) => id));
      const outermost = members.filter(({ id }) => !within.has(this.outer.get(id) ?? ''));
      const first = outermost.find((one) => !isPart(one)) ?? outermost[0] ?? members[0];
      const entity = first && this.own(first);
      if (entity) for (const { id } of members) this.naming.entities.set(id, entity);
    }
  }

  /** A chassis belongs to the entity of its outer chassis. */
  private nameByContainer(id: string): void {
    const { entities } = this.naming;
    let outer = this.outer.get(id);
    for (let step = 0; step < MOST_STEPS && outer !== undefined && !entities.has(id); step++) {
      const entity = entities.get(outer);
      if (entity) entities.set(id, entity);
      outer = this.outer.get(outer);
    }
  }

  /** A separate machine: a node, a rack, a power shelf. */
  private own({ id, doc }: Resource): RedfishEntity {
    const { fallback, remark } = this.naming;
    const type = textOf(doc['ChassisType']);
    const serial = serialOf(doc);
    const asset = assignedName(textOf(doc['AssetTag']));
    const isRack = /^rack$/i.test(type);
    // Machines in a rack name it by its location, and so do inventories.
    const placed = isRack ? assignedName(textOf(objectOf(objectOf(doc['Location'])['Placement'])['Rack'])) : '';
    const stableId = placed || serial || asset;
    const name = stableId || (this.hasMachine ? `${fallback}/${id.split('/').at(-1)}` : fallback);
    this.hasMachine = true;
    if (stableId === '') remark(`the chassis has no serial number: called "${name}"`);
    return {
      kind: isRack ? 'rack' : SHELF.test(`${id} ${type} ${textOf(doc['Name'])}`) ? 'pdu' : 'server',
      id: name,
      aliases: serial ? [{ kind: 'asset_tag', name: serial }] : [],
      attributes: {
        manufacturer: assignedName(textOf(doc['Manufacturer'])),
        model: assignedName(textOf(doc['Model'])),
      },
    };
  }
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const isMachine = ({ kind }: RedfishEntity): boolean => kind === 'server' || kind === 'pdu' || kind === 'rack';

/** The machines among the named entities, each once. */
function machinesIn(entities: ReadonlyMap<string, RedfishEntity>): RedfishEntity[] {
  const machines = new Map<string, RedfishEntity>();
  for (const entity of entities.values()) if (isMachine(entity)) machines.set(redfishEntityKey(entity), entity);
  return [...machines.values()];
}
