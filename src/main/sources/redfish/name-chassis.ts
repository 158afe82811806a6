import { assignedName } from '../../../model/incident/assigned-name.ts';
import { type Json, linkOf, linksOf, objectOf, textOf } from './format.ts';
import { type RedfishEntity, redfishEntityKey } from './redfish-entity.ts';
import type { Resource, ResourceTree } from './resource-tree.ts';

/** Kinds of chassis (DSP2046, Chassis.ChassisType) that are parts of what they lie in, though they bear serial numbers. */
const PART = /^(card|cartridge|component|module|zone|expansion|ipbaseddrive|storageenclosure)$/i;
/** Kinds that hold machines and are none of them, also where they name the only system that is fitted. */
const AROUND = /^(rack|rackgroup|row|pod|enclosure)$/i;
const SHELF = /power ?shelf|power ?strip|pdu|psu/i;
/** The baseboard of GPUs is a system of its own beside the one that it is part of. */
export const BASEBOARD = /HGX|Baseboard|GPU/i;
/** Chassis of a baseboard and of what lies on it, where these say not of what type they are. */
const BOARD = /^HGX_|Baseboard/i;
const MOST_STEPS = 8;

/** What is named so far by address, and how the rest may be called. */
export interface Naming {
  readonly tree: ResourceTree;
  readonly entities: Map<string, RedfishEntity>;
  /** What the tree is called. */
  readonly fallback: string;
  readonly remark: (text: string) => void;
}

/**
 * Names every chassis: the machine whose system it names, or that it is part of; or, where it has a serial number of its
 * own, a machine of its own. A chassis of several systems is none of them.
 *
 * @returns the machines that no chassis of another machine holds
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
  /** The chassis that one lies in, as either of them says, by address. */
  private readonly outer = new Map<string, string>();
  private readonly inner = new Map<string, Resource[]>();
  /** Systems that name a chassis, by its address. */
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
    const { entities: things } = this.naming;
    const unnamed = this.chassis.filter(({ id }) => !things.has(id));
    const around = new Set(unnamed.filter((one) => this.containsSystems(one)));
    const tops = this.chassis.filter((one) => !this.outer.has(one.id) && !isPart(one));
    for (const one of unnamed) if (!around.has(one)) this.nameBySystem(one, tops.length === 1 && tops[0] === one);
    this.nameByUnseenSystem(unnamed.filter(({ id }) => !things.has(id)));
    for (const one of unnamed)
      if (!things.has(one.id) && (around.has(one) || (isNamed(one.doc) && !isPart(one))))
        things.set(one.id, this.own(one));
    for (const { id } of unnamed) if (!things.has(id)) this.nameByContainer(id);
    const machines = machinesIn(things);
    for (const one of unnamed) {
      if (things.has(one.id)) continue;
      // Nothing says what it belongs to: part of the only machine that there is, or of none that is known.
      const [only] = machines.length === 1 ? machines : [this.own(one)];
      if (machines.length === 0 && only) machines.push(only);
      if (only) things.set(one.id, only);
    }
  }

  outermost(): readonly RedfishEntity[] {
    const { entities: things } = this.naming;
    const contained = new Set<string>();
    for (const { id, doc } of this.chassis) {
      const thing = things.get(id);
      const outer = things.get(this.outer.get(id) ?? '');
      if (thing && outer && redfishEntityKey(outer) !== redfishEntityKey(thing)) contained.add(redfishEntityKey(thing));
      for (const system of this.machinesOf({ id, doc }))
        if (thing && redfishEntityKey(system) !== redfishEntityKey(thing)) contained.add(redfishEntityKey(system));
    }
    return machinesIn(things).filter((entity) => !contained.has(redfishEntityKey(entity)));
  }

  /** The machines of the systems that a chassis names, or else that name it. */
  private machinesOf({ id, doc }: Pick<Resource, 'id' | 'doc'>): readonly RedfishEntity[] {
    const named = systemLinks(doc);
    const systems = named.length > 0 ? named : (this.namedBy.get(id) ?? []);
    const machines = new Map<string, RedfishEntity>();
    for (const system of systems) {
      const thing = this.naming.entities.get(system);
      if (thing) machines.set(redfishEntityKey(thing), thing);
    }
    return [...machines.values()];
  }

  /** A chassis of several machines; or around the one that lies in a chassis of its own within it. */
  private containsSystems(one: Resource): boolean {
    const [machine, ...others] = this.machinesOf(one);
    if (machine === undefined || others.length > 0) return others.length > 0;
    const serial = serialOf(one.doc);
    if (!AROUND.test(textOf(one.doc['ChassisType'])) || serial === '' || this.bySerial.has(serial)) return false;
    return (this.inner.get(one.id) ?? []).some((inner) =>
      this.machinesOf(inner).some((other) => redfishEntityKey(other) === redfishEntityKey(machine)),
    );
  }

  /** By the system that it names, that names it, or that bears its serial number; or where there is one of each. */
  private nameBySystem(one: Resource, isOnlyTop: boolean): void {
    const [linked] = this.machinesOf(one);
    const [system, ...others] = this.systems;
    const isOnly = isOnlyTop && system && others.length === 0 && systemLinks(one.doc).length === 0;
    const thing = linked ?? this.bySerial.get(serialOf(one.doc)) ?? this.naming.entities.get(isOnly ? system.id : '');
    if (thing) this.naming.entities.set(one.id, thing);
  }

  /** A crawl that left the systems out: what names one system is one machine, called by its outermost chassis. */
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
      const thing = first && this.own(first);
      if (thing) for (const { id } of members) this.naming.entities.set(id, thing);
    }
  }

  /** What a chassis is inside of tells what it is part of. */
  private nameByContainer(id: string): void {
    const { entities: things } = this.naming;
    let outer = this.outer.get(id);
    for (let step = 0; step < MOST_STEPS && outer !== undefined && !things.has(id); step++) {
      const thing = things.get(outer);
      if (thing) things.set(id, thing);
      outer = this.outer.get(outer);
    }
  }

  /** A machine of its own: a node, a rack, a power shelf. */
  private own({ id, doc }: Resource): RedfishEntity {
    const { fallback, remark } = this.naming;
    const type = textOf(doc['ChassisType']);
    const serial = serialOf(doc);
    const asset = assignedName(textOf(doc['AssetTag']));
    const isRack = /^rack$/i.test(type);
    // What stands in a rack names it by its place, and so do inventories.
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

/** The machines among what is named, each once. */
function machinesIn(entities: ReadonlyMap<string, RedfishEntity>): RedfishEntity[] {
  const machines = new Map<string, RedfishEntity>();
  for (const thing of entities.values()) if (isMachine(thing)) machines.set(redfishEntityKey(thing), thing);
  return [...machines.values()];
}
