import { givenName } from '../../../model/incident/given-name.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { gpuUuid } from '../nvidia/gpu-uuid.ts';
import { linksOf, objectOf, textOf } from './format.ts';
import { BASEBOARD, nameChassis } from './name-chassis.ts';
import type { Resource, ResourceTree } from './resource-tree.ts';
import { type Thing, thingKey } from './thing.ts';

/** Kinds of power equipment by the collection that they are in. */
const EQUIPMENT =
  /^\/redfish\/v1\/PowerEquipment\/(RackPDUs|FloorPDUs|PowerShelves|TransferSwitches|Switchgear|ElectricalBuses)\/([^/]+)$/;

/** Names everything in a tree: which server, GPU, supply or outlet a resource is about. */
export class Machine {
  private readonly things = new Map<string, Thing>();
  private readonly taken = new Set<string>();
  private readonly tree: ResourceTree;
  private readonly fallback: string;
  private readonly remark: (text: string) => void;
  private readonly outermost: readonly Thing[];
  private chassis: Map<string, number> | undefined;
  private nameless: Thing | undefined;

  constructor(tree: ResourceTree, fallback: string, remark: (text: string) => void) {
    this.tree = tree;
    this.fallback = fallback;
    this.remark = remark;
    this.nameEquipment();
    this.nameSystems();
    this.outermost = this.nameMachines();
    if (distinct([...this.things.values()]).length > 1) this.nameManagers();
    this.nameProcessors();
    this.nameParts();
  }

  /** The machine that the tree is about when nothing more specific is named; of several machines none, but what tells of them. */
  get primary(): Thing {
    const [only, ...others] = this.outermost;
    if (only && others.length === 0) return only;
    if (!this.nameless) {
      this.remark(
        only
          ? `several machines are told of: what names none of them is taken as about what tells, "${this.fallback}"`
          : `the resources name no machine: taken as about "${this.fallback}"`,
      );
      this.nameless = { kind: only ? 'device' : 'server', id: this.fallback };
    }
    return this.nameless;
  }

  /** All that has a name here, servers first. */
  entries(): IterableIterator<[string, Thing]> {
    return this.things.entries();
  }

  name(id: string, thing: Thing): void {
    this.things.set(id, thing);
    this.taken.add(thingKey(thing));
  }

  /** How many chassis a machine has. */
  chassisOf(thing: Thing): number {
    if (!this.chassis) {
      this.chassis = new Map();
      for (const { id } of this.tree.ofType('Chassis')) {
        const key = thingKey(this.of(id));
        this.chassis.set(key, (this.chassis.get(key) ?? 0) + 1);
      }
    }
    return this.chassis.get(thingKey(thing)) ?? 0;
  }

  /** Whether a part that was named has this name. */
  isTaken(thing: Thing): boolean {
    return this.taken.has(thingKey(thing));
  }

  exact(id: string): Thing | undefined {
    return this.things.get(id);
  }

  /** What a resource is about: itself when it has a name, else what it is part of. */
  of(id: string): Thing {
    let at = id;
    while (at.length > '/redfish/v1'.length) {
      const thing = this.things.get(at);
      if (thing) return thing;
      const cut = at.includes('#') ? at.lastIndexOf('/', at.length - 1) : at.lastIndexOf('/');
      at = at.slice(0, Math.max(cut, 0)).replace(/#$/, '');
    }
    return this.unseen(id);
  }

  /** A part that the tree does not hold, by the words of its address. */
  private unseen(id: string): Thing {
    const part = /\/(PowerSupplies|Fans|Processors|Outlets)\/([^/#]+)(?:\/|#|$)/.exec(id);
    const server = this.primary;
    if (!part) return server;
    const [, collection, name = ''] = part;
    if (collection === 'PowerSupplies') return { kind: 'psu', id: `${server.id}/psu-${name}` };
    if (collection === 'Fans') return { kind: 'cooling', id: `${server.id}/fan-${name}` };
    if (collection === 'Outlets') return { kind: 'outlet', id: `${server.id}/outlet-${name}` };
    return /^GPU/i.test(name) ? { kind: 'gpu', id: `${server.id}/${name}` } : server;
  }

  private nameSystems(): void {
    const systems = this.tree.ofType('ComputerSystem');
    const hosts = systems.filter(({ id }) => !BASEBOARD.test(id.split('/').at(-1) ?? ''));
    const own = hosts.length > 0 ? hosts : systems;
    const named = new Map<string, Resource>();
    for (const system of own) {
      const thing = this.server(system);
      const same = named.get(thing.id);
      const isAnother = same !== undefined && differ(same.doc, system.doc);
      // Nodes that were installed from one image all have its host name.
      const apart = isAnother ? this.server({ ...system, doc: { ...system.doc, HostName: '' } }) : thing;
      if (isAnother) this.remark(`several systems are called "${thing.id}": one of them is "${apart.id}" here`);
      named.set(apart.id, system);
      this.things.set(system.id, apart);
    }
    const [first] = own;
    for (const system of systems)
      if (first && !this.things.has(system.id)) {
        const [host, ...others] = distinct(own.map(({ id }) => this.things.get(id)));
        this.things.set(system.id, host && others.length === 0 ? host : this.server(system));
      }
  }

  private server({ doc, id }: Resource): Thing {
    const host = givenName(textOf(doc['HostName']));
    const serial = givenName(textOf(doc['SerialNumber']));
    // A service tag is Dell's SKU; everywhere else a SKU names a product, not a machine.
    const tag = /dell/i.test(textOf(doc['Manufacturer'])) ? givenName(textOf(doc['SKU'])) : '';
    const asset = givenName(textOf(doc['AssetTag']));
    const uuid = givenName(textOf(doc['UUID']));
    const name = host || serial || tag || asset;
    if (name === '' && this.tree.ofType('ComputerSystem').length === 1) {
      const thing: Thing = { kind: 'server', id: this.fallback };
      this.remark(`the system has neither host name nor serial number: called "${this.fallback}"`);
      return { ...thing, aliases: uuid ? [{ kind: 'host_id', name: uuid }] : [], attributes: described(doc) };
    }
    const aliases = [
      { kind: 'host_name', name: host },
      { kind: 'asset_tag', name: serial },
      { kind: 'asset_tag', name: tag },
      { kind: 'asset_tag', name: asset },
      { kind: 'host_id', name: uuid },
    ].filter((alias) => alias.name !== '');
    return {
      kind: 'server',
      id: name || `${this.fallback}/${id.split('/').at(-1)}`,
      aliases,
      attributes: described(doc),
    };
  }

  private nameEquipment(): void {
    for (const { id, doc } of this.tree.ofType('PowerDistribution')) {
      const [, collection, name] = EQUIPMENT.exec(id) ?? [];
      if (collection === undefined) continue;
      const serial = givenName(textOf(doc['SerialNumber']));
      const asset = givenName(textOf(doc['AssetTag']));
      const thing: Thing = {
        kind: collection === 'Switchgear' ? 'breaker' : 'pdu',
        id: serial || `${this.fallback}/${name}`,
        aliases: [serial, asset].filter(Boolean).map((alias) => ({ kind: 'asset_tag', name: alias })),
        attributes: { ...described(doc), equipment: collection },
      };
      this.things.set(id, thing);
      for (const chassis of linksOf(objectOf(doc['Links'])['Chassis'])) this.things.set(chassis, thing);
    }
  }

  /** @returns the machines that no other holds, where what names none of them could be about any of these */
  private nameMachines(): readonly Thing[] {
    const { tree, things, fallback, remark } = this;
    const outermost = nameChassis({ tree, things, fallback, remark });
    const systems = tree.ofType('ComputerSystem');
    // A card with a system of its own (SystemType DPU), a partition or a virtual machine is not what a controller is about.
    const physical = systems.filter(({ doc }) => /^(Physical|)$/i.test(textOf(doc['SystemType'])));
    const hosts = distinct((physical.length > 0 ? physical : systems).map(({ id }) => things.get(id)));
    if (hosts.length === 1) return hosts;
    return systems.length === 0 ? outermost : outermost.filter(({ kind }) => kind !== 'pdu');
  }

  /** Whom a controller is for; that of a single machine needs no name. */
  private nameManagers(): void {
    for (const { id, doc } of this.tree.ofType('Manager')) {
      const links = objectOf(doc['Links']);
      for (const member of ['ManagerForServers', 'ManagerForChassis', 'ManagerInChassis']) {
        const [machine, ...others] = distinct(linksOf(links[member]).map((link) => this.things.get(link)));
        if (machine && others.length === 0 && !this.things.has(id)) this.things.set(id, machine);
      }
    }
  }

  private nameProcessors(): void {
    for (const { id, doc } of this.tree.ofType('Processor')) {
      const server = this.of(id.replace(/\/Processors\/.*$/, ''));
      const name = textOf(doc['Id']) || (id.split('/').at(-1) ?? '');
      const isGpu =
        /^gpu$/i.test(textOf(doc['ProcessorType'])) || (textOf(doc['ProcessorType']) === '' && /^GPU/i.test(name));
      this.things.set(id, isGpu ? this.gpu(server, name, doc) : { ...cpu(server, name, doc) });
    }
    // A chassis of one processor is that processor: its sensors are the processor's.
    for (const { id, doc } of this.tree.ofType('Chassis')) {
      const processors = linksOf(objectOf(doc['Links'])['Processors']);
      const thing = processors.length === 1 ? this.things.get(processors[0]!) : undefined;
      if (thing && linksOf(objectOf(doc['Links'])['ComputerSystems']).length <= 1 && isPart(doc))
        this.things.set(id, thing);
    }
  }

  private gpu(server: Thing, name: string, doc: Resource['doc']): Thing {
    const uuid = gpuUuid(textOf(doc['UUID']));
    const identity = uuid ? identifyGpu({ uuid, host: server.id }) : undefined;
    const attributes = {
      model: textOf(doc['Model']),
      serial: givenName(textOf(doc['SerialNumber'])),
      redfish_id: name,
    };
    return identity
      ? { kind: 'gpu', ...identity, attributes }
      : { kind: 'gpu', id: `${server.id}/${name}`, attributes };
  }

  /** Memory of a GPU, ports of a GPU, outlets and circuits of a strip. */
  private nameParts(): void {
    for (const { id, doc } of this.tree.ofType('Memory')) {
      const [processor, ...others] = linksOf(objectOf(doc['Links'])['Processors']);
      const thing = processor === undefined || others.length > 0 ? undefined : this.things.get(processor);
      if (thing?.kind === 'gpu') this.things.set(id, thing);
    }
    for (const { id, doc } of this.tree.ofType('Port')) {
      const owner = this.of(id.replace(/\/Ports\/.*$/, ''));
      const isLink = /nvlink/i.test(`${textOf(doc['PortProtocol'])} ${textOf(doc['Id'])}`);
      if (owner.kind === 'gpu' && isLink)
        this.things.set(id, { kind: 'nvlink', id: `${owner.id}/${textOf(doc['Id'])}` });
    }
    for (const { id, doc } of this.tree.ofType('Outlet', 'Circuit', 'OutletGroup')) {
      const strip = this.of(id.split('/').slice(0, -2).join('/'));
      const isOutlet = /\/Outlets\//.test(id);
      const name = textOf(doc['Id']) || (id.split('/').at(-1) ?? '');
      const label = textOf(doc['UserLabel']);
      this.things.set(id, {
        kind: isOutlet ? 'outlet' : 'breaker',
        id: `${strip.id}/${isOutlet ? 'outlet' : (id.split('/').at(-2) ?? '').toLowerCase()}-${name}`,
        attributes: { name: textOf(doc['Name']), label },
      });
    }
  }
}

const distinct = (things: readonly (Thing | undefined)[]): readonly Thing[] => [
  ...new Map(things.filter((thing) => thing !== undefined).map((thing) => [thingKey(thing), thing])).values(),
];

/** Two systems, as their serial numbers or UUIDs say; where one states none they may be the same. */
const differ = (a: Resource['doc'], b: Resource['doc']): boolean =>
  ['SerialNumber', 'UUID'].some((member) => {
    const [one, other] = [givenName(textOf(a[member])), givenName(textOf(b[member]))];
    return one !== '' && other !== '' && one !== other;
  });

const isPart = (doc: Resource['doc']): boolean => /^(component|module|card|)$/i.test(textOf(doc['ChassisType']));

const cpu = (server: Thing, name: string, doc: Resource['doc']): Thing => ({
  kind: /^(cpu|)$/i.test(textOf(doc['ProcessorType'])) ? 'cpu' : 'device',
  id: `${server.id}/${name}`,
  attributes: { model: textOf(doc['Model']), processor_type: textOf(doc['ProcessorType']) },
});

const described = (doc: Resource['doc']): Record<string, unknown> => ({
  manufacturer: givenName(textOf(doc['Manufacturer'])),
  model: givenName(textOf(doc['Model'])),
});
