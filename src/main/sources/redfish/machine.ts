import { assignedName } from '../../../model/incident/assigned-name.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { gpuUuid } from '../nvidia/gpu-uuid.ts';
import { linksOf, objectOf, textOf } from './format.ts';
import { BASEBOARD, nameChassis } from './name-chassis.ts';
import { type RedfishEntity, redfishEntityKey } from './redfish-entity.ts';
import type { Resource, ResourceTree } from './resource-tree.ts';

/** Kinds of power equipment by the collection that they are in. */
const EQUIPMENT =
  /^\/redfish\/v1\/PowerEquipment\/(RackPDUs|FloorPDUs|PowerShelves|TransferSwitches|Switchgear|ElectricalBuses)\/([^/]+)$/;

/** Names all resources of a tree: the server, GPU, PSU or outlet that each is about. */
export class Machine {
  private readonly entities = new Map<string, RedfishEntity>();
  private readonly taken = new Set<string>();
  private readonly tree: ResourceTree;
  private readonly fallback: string;
  private readonly remark: (text: string) => void;
  private readonly outermost: readonly RedfishEntity[];
  private chassis: Map<string, number> | undefined;
  private nameless: RedfishEntity | undefined;

  constructor(tree: ResourceTree, fallback: string, remark: (text: string) => void) {
    this.tree = tree;
    this.fallback = fallback;
    this.remark = remark;
    this.nameEquipment();
    this.nameSystems();
    this.outermost = this.nameMachines();
    if (distinct([...this.entities.values()]).length > 1) this.nameManagers();
    this.nameProcessors();
    this.nameParts();
  }

  /** The machine for resources that name no entity; of several machines none, but the device that reports them. */
  get primary(): RedfishEntity {
    const [only, ...others] = this.outermost;
    if (only && others.length === 0) return only;
    if (!this.nameless) {
      this.remark(
        only
          ? `several machines are reported: records that name none go to the reporting device, "${this.fallback}"`
          : `the resources name no machine: they go to "${this.fallback}"`,
      );
      this.nameless = { kind: only ? 'device' : 'server', id: this.fallback };
    }
    return this.nameless;
  }

  /** All named entities, servers first. */
  entries(): IterableIterator<[string, RedfishEntity]> {
    return this.entities.entries();
  }

  name(id: string, entity: RedfishEntity): void {
    this.entities.set(id, entity);
    this.taken.add(redfishEntityKey(entity));
  }

  /** How many chassis a machine has. */
  chassisOf(entity: RedfishEntity): number {
    if (!this.chassis) {
      this.chassis = new Map();
      for (const { id } of this.tree.ofType('Chassis')) {
        const key = redfishEntityKey(this.of(id));
        this.chassis.set(key, (this.chassis.get(key) ?? 0) + 1);
      }
    }
    return this.chassis.get(redfishEntityKey(entity)) ?? 0;
  }

  /** Whether a named part has this name. */
  isTaken(entity: RedfishEntity): boolean {
    return this.taken.has(redfishEntityKey(entity));
  }

  exact(id: string): RedfishEntity | undefined {
    return this.entities.get(id);
  }

  /** The entity of a resource: its own if it is named, else that of its parent. */
  of(id: string): RedfishEntity {
    let at = id;
    while (at.length > '/redfish/v1'.length) {
      const entity = this.entities.get(at);
      if (entity) return entity;
      const cut = at.includes('#') ? at.lastIndexOf('/', at.length - 1) : at.lastIndexOf('/');
      at = at.slice(0, Math.max(cut, 0)).replace(/#$/, '');
    }
    return this.unseen(id);
  }

  /** A part that the tree does not contain, named from its address. */
  private unseen(id: string): RedfishEntity {
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
      const entity = this.server(system);
      const same = named.get(entity.id);
      const isAnother = same !== undefined && differ(same.doc, system.doc);
      // Nodes that were installed from one image share its host name.
      const apart = isAnother ? this.server({ ...system, doc: { ...system.doc, HostName: '' } }) : entity;
      if (isAnother) this.remark(`several systems are called "${entity.id}": one of them is "${apart.id}" here`);
      named.set(apart.id, system);
      this.entities.set(system.id, apart);
    }
    const [first] = own;
    for (const system of systems)
      if (first && !this.entities.has(system.id)) {
        const [host, ...others] = distinct(own.map(({ id }) => this.entities.get(id)));
        this.entities.set(system.id, host && others.length === 0 ? host : this.server(system));
      }
  }

  private server({ doc, id }: Resource): RedfishEntity {
    const host = assignedName(textOf(doc['HostName']));
    const serial = assignedName(textOf(doc['SerialNumber']));
    // Dell puts the service tag in SKU; for all others SKU names a product, not a machine.
    const tag = /dell/i.test(textOf(doc['Manufacturer'])) ? assignedName(textOf(doc['SKU'])) : '';
    const asset = assignedName(textOf(doc['AssetTag']));
    const uuid = assignedName(textOf(doc['UUID']));
    const name = host || serial || tag || asset;
    if (name === '' && this.tree.ofType('ComputerSystem').length === 1) {
      const entity: RedfishEntity = { kind: 'server', id: this.fallback };
      this.remark(`the system has neither host name nor serial number: called "${this.fallback}"`);
      return { ...entity, aliases: uuid ? [{ kind: 'host_id', name: uuid }] : [], attributes: described(doc) };
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
      const serial = assignedName(textOf(doc['SerialNumber']));
      const asset = assignedName(textOf(doc['AssetTag']));
      const entity: RedfishEntity = {
        kind: collection === 'Switchgear' ? 'breaker' : 'pdu',
        id: serial || `${this.fallback}/${name}`,
        aliases: [serial, asset].filter(Boolean).map((alias) => ({ kind: 'asset_tag', name: alias })),
        attributes: { ...described(doc), equipment: collection },
      };
      this.entities.set(id, entity);
      for (const chassis of linksOf(objectOf(doc['Links'])['Chassis'])) this.entities.set(chassis, entity);
    }
  }

  /** @returns the machines that no other machine contains: a record that names no machine could be about any of them */
  private nameMachines(): readonly RedfishEntity[] {
    const { tree, entities, fallback, remark } = this;
    const outermost = nameChassis({ tree, entities, fallback, remark });
    const systems = tree.ofType('ComputerSystem');
    // A card with a system of its own (SystemType DPU), a partition or a virtual machine is not the controller's machine.
    const physical = systems.filter(({ doc }) => /^(Physical|)$/i.test(textOf(doc['SystemType'])));
    const hosts = distinct((physical.length > 0 ? physical : systems).map(({ id }) => entities.get(id)));
    if (hosts.length === 1) return hosts;
    return systems.length === 0 ? outermost : outermost.filter(({ kind }) => kind !== 'pdu');
  }

  /** The machine of a controller; the controller of a single machine needs no name. */
  private nameManagers(): void {
    for (const { id, doc } of this.tree.ofType('Manager')) {
      const links = objectOf(doc['Links']);
      for (const member of ['ManagerForServers', 'ManagerForChassis', 'ManagerInChassis']) {
        const [machine, ...others] = distinct(linksOf(links[member]).map((link) => this.entities.get(link)));
        if (machine && others.length === 0 && !this.entities.has(id)) this.entities.set(id, machine);
      }
    }
  }

  private nameProcessors(): void {
    for (const { id, doc } of this.tree.ofType('Processor')) {
      const server = this.of(id.replace(/\/Processors\/.*$/, ''));
      const name = textOf(doc['Id']) || (id.split('/').at(-1) ?? '');
      const isGpu =
        /^gpu$/i.test(textOf(doc['ProcessorType'])) || (textOf(doc['ProcessorType']) === '' && /^GPU/i.test(name));
      this.entities.set(id, isGpu ? this.gpu(server, name, doc) : { ...cpu(server, name, doc) });
    }
    // A chassis of one processor is that processor: its sensors are the processor's.
    for (const { id, doc } of this.tree.ofType('Chassis')) {
      const processors = linksOf(objectOf(doc['Links'])['Processors']);
      const entity = processors.length === 1 ? this.entities.get(processors[0]!) : undefined;
      if (entity && linksOf(objectOf(doc['Links'])['ComputerSystems']).length <= 1 && isPart(doc))
        this.entities.set(id, entity);
    }
  }

  private gpu(server: RedfishEntity, name: string, doc: Resource['doc']): RedfishEntity {
    const uuid = gpuUuid(textOf(doc['UUID']));
    const identity = uuid ? identifyGpu({ uuid, host: server.id }) : undefined;
    const attributes = {
      model: textOf(doc['Model']),
      serial: assignedName(textOf(doc['SerialNumber'])),
      redfish_id: name,
    };
    return identity
      ? { kind: 'gpu', ...identity, attributes }
      : { kind: 'gpu', id: `${server.id}/${name}`, attributes };
  }

  /** Memory of a GPU, ports of a GPU, outlets and circuits of a PDU. */
  private nameParts(): void {
    for (const { id, doc } of this.tree.ofType('Memory')) {
      const [processor, ...others] = linksOf(objectOf(doc['Links'])['Processors']);
      const entity = processor === undefined || others.length > 0 ? undefined : this.entities.get(processor);
      if (entity?.kind === 'gpu') this.entities.set(id, entity);
    }
    for (const { id, doc } of this.tree.ofType('Port')) {
      const owner = this.of(id.replace(/\/Ports\/.*$/, ''));
      const isLink = /nvlink/i.test(`${textOf(doc['PortProtocol'])} ${textOf(doc['Id'])}`);
      if (owner.kind === 'gpu' && isLink)
        this.entities.set(id, { kind: 'nvlink', id: `${owner.id}/${textOf(doc['Id'])}` });
    }
    for (const { id, doc } of this.tree.ofType('Outlet', 'Circuit', 'OutletGroup')) {
      const parentPdu = this.of(id.split('/').slice(0, -2).join('/'));
      const isOutlet = /\/Outlets\//.test(id);
      const name = textOf(doc['Id']) || (id.split('/').at(-1) ?? '');
      const label = textOf(doc['UserLabel']);
      this.entities.set(id, {
        kind: isOutlet ? 'outlet' : 'breaker',
        id: `${parentPdu.id}/${isOutlet ? 'outlet' : (id.split('/').at(-2) ?? '').toLowerCase()}-${name}`,
        attributes: { name: textOf(doc['Name']), label },
      });
    }
  }
}

const distinct = (entities: readonly (RedfishEntity | undefined)[]): readonly RedfishEntity[] => [
  ...new Map(
    entities.filter((entity) => entity !== undefined).map((entity) => [redfishEntityKey(entity), entity]),
  ).values(),
];

/** Different systems by serial number or UUID; if one lacks it, they may be the same. */
const differ = (a: Resource['doc'], b: Resource['doc']): boolean =>
  ['SerialNumber', 'UUID'].some((member) => {
    const [one, other] = [assignedName(textOf(a[member])), assignedName(textOf(b[member]))];
    return one !== '' && other !== '' && one !== other;
  });

const isPart = (doc: Resource['doc']): boolean => /^(component|module|card|)$/i.test(textOf(doc['ChassisType']));

const cpu = (server: RedfishEntity, name: string, doc: Resource['doc']): RedfishEntity => ({
  kind: /^(cpu|)$/i.test(textOf(doc['ProcessorType'])) ? 'cpu' : 'device',
  id: `${server.id}/${name}`,
  attributes: { model: textOf(doc['Model']), processor_type: textOf(doc['ProcessorType']) },
});

const described = (doc: Resource['doc']): Record<string, unknown> => ({
  manufacturer: assignedName(textOf(doc['Manufacturer'])),
  model: assignedName(textOf(doc['Model'])),
});
