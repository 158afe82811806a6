import { type EntityKind, type Layer, layerOf } from '../../../model/entity.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import type { CallFact, EdgeFact, EntityFact } from '../../store/facts/reader.ts';
import { computed, countBy, push, walk } from './links.ts';
import type { MechanismRelation } from './mechanism-relation.ts';
import { namedCards } from './named-cards.ts';
import { namedParts } from './named-parts.ts';
import { namedReplicas } from './named-replicas.ts';
import { otherEnd } from './other-end.ts';
import { otherSupplies } from './other-supplies.ts';
import { topology } from './parameters.ts';

export interface EntityNode {
  readonly key: number;
  readonly kind: EntityKind;
  readonly id: string;
  readonly layer: Layer;
}

/**
 * Relation of an entity to a service: `mapped` (the service runs on it or on entities that it feeds or contains, or it is the
 * orchestrator's node of such a machine), `caller` (it runs a service that this one calls), `sibling` (same machine, but only
 * other services are mapped to it, or it runs there without belonging to any), `other` (only other services), `unmapped` (no
 * path to any service).
 */
export type Relation = 'mapped' | 'caller' | 'sibling' | 'other' | 'unmapped';

/** Effects travel from a PDU to its loads, from a machine to its parts, from a switch to its peers. */
const downward: readonly EdgeKind[] = ['feeds', 'contains', 'connects'];
const machineKinds: ReadonlySet<EntityKind> = new Set(['server', 'instance', 'node', 'device']);
const softwareKinds: ReadonlySet<EntityKind> = new Set(['job', 'service', 'pod', 'container', 'rank', 'process']);
const workKinds: ReadonlySet<EntityKind> = new Set(['service', 'job']);
const partKinds: ReadonlySet<EntityKind> = new Set(['psu', 'cpu', 'gpu', 'nic', 'nvlink']);

interface Workloads {
  /** With jobs. */
  readonly services: ReadonlySet<number>;
  /** Pods, containers, processes, ranks. */
  readonly others: ReadonlySet<number>;
}

/** Canonical entities and the links valid at one instant. */
export class EntityGraph {
  private readonly nodes = new Map<number, EntityNode>();
  private readonly down = new Map<number, number[]>();
  private readonly containers = new Map<number, number[]>();
  private readonly suppliesByEntity = new Map<number, number[]>();
  private readonly dependents = new Map<number, number[]>();
  private readonly callees = new Map<number, number[]>();
  private readonly placed = new Set<number>();
  private readonly reach = new Map<number, ReadonlySet<number>>();
  private readonly sources = new Map<number, ReadonlySet<number>>();
  private readonly machinesUnder = new Map<number, ReadonlySet<number>>();
  private readonly machineSets = new Map<number, ReadonlySet<number>>();
  private readonly cutOff = new Map<number, boolean>();
  private readonly up = new Map<number, number[]>();
  private readonly hosts = new Map<number, number[]>();
  private readonly origins = new Map<number, ReadonlyMap<number, MechanismRelation>>();
  private readonly relations = new Map<number, Map<number, Relation>>();
  private readonly carried = new Map<number, Workloads>();
  private readonly machinesByEntity = new Map<number, readonly number[]>();
  private counts: ReadonlyMap<Layer, number> | undefined;
  private fedKinds: ReadonlySet<EntityKind | undefined> | undefined;

  constructor(entities: readonly EntityFact[], edges: readonly EdgeFact[], at_ns: bigint) {
    for (const { entity_id, canonical_id, kind, id } of entities) {
      if (entity_id === canonical_id) this.nodes.set(entity_id, { key: entity_id, kind, id, layer: layerOf(kind) });
    }
    for (const edge of edges) {
      if (edge.valid_from_ns > at_ns || edge.valid_to_ns <= at_ns || edge.from_id === edge.to_id) continue;
      this.addEdge(edge);
    }
    for (const [owner, part] of namedParts([...this.nodes.values()], (key) => this.containers.has(key))) {
      push(this.containers, part, owner);
      this.link(owner, part);
    }
    const portsOf = (key: number) => (this.up.get(key) ?? []).filter((one) => this.nodes.get(one)?.kind === 'port');
    for (const [port, card] of namedCards(this.nodes.values(), portsOf)) this.link(port, card);
    const isLinked = (one: number) => this.dependents.get(one)?.some((other) => this.isService(other)) ?? false;
    for (const [service, one] of namedReplicas([...this.nodes.values()], isLinked))
      if (this.nodes.get(one)?.kind === 'pod') this.place(service, one);
      else push(this.dependents, one, service);
  }

  /** Effects travel from one to the other. */
  private link(from: number, to: number): void {
    push(this.down, from, to);
    push(this.up, to, from);
  }

  private addEdge({ from_id, kind, to_id }: EdgeFact): void {
    if (downward.includes(kind)) this.link(from_id, to_id);
    if (kind === 'contains') push(this.containers, to_id, from_id);
    if (kind === 'feeds') push(this.suppliesByEntity, to_id, from_id);
    // A job lives on its members: where its pods and ranks are; so does a service of ranks. A container lives on the pod that it is a member of.
    const [part, whole] = [this.nodes.get(from_id)?.kind, this.nodes.get(to_id)?.kind];
    if (kind === 'member_of' && (whole === 'job' || part === 'rank')) this.place(to_id, from_id);
    else if (kind === 'runs_on' || kind === 'member_of') this.place(from_id, to_id);
    if (kind === 'calls') push(this.callees, from_id, to_id);
  }

  private place(workload: number, host: number): void {
    push(this.dependents, host, workload);
    push(this.hosts, workload, host);
    this.placed.add(workload);
  }

  addCalls(calls: readonly CallFact[]): void {
    for (const { caller, callee } of calls) push(this.callees, caller, callee);
    this.relations.clear();
  }

  node(key: number): EntityNode | undefined {
    return this.nodes.get(key);
  }

  /** Pods, ranks, services: workloads, which are no machines. */
  isSoftware(key: number): boolean {
    const node = this.nodes.get(key);
    return node !== undefined && softwareKinds.has(node.kind);
  }

  /** Number of entities of a layer. */
  entityCount(layer: Layer): number {
    this.counts ??= countBy(this.nodes.values());
    return this.counts.get(layer) ?? 0;
  }

  all(): IterableIterator<EntityNode> {
    return this.nodes.values();
  }

  /** Entities below `from`, including itself. */
  below(from: number): ReadonlySet<number> {
    return computed(this.reach, from, () => walk([from], this.down));
  }

  directlyBelow(key: number): readonly number[] {
    return this.down.get(key) ?? [];
  }

  /** Entities above `to`, including itself. */
  above(to: number): ReadonlySet<number> {
    return computed(this.sources, to, () => walk([to], this.up));
  }

  /** Supplies, cards and ports of a machine: its parts, and those that feed it. */
  partsOf(key: number): ReadonlySet<number> {
    const parts = new Set(this.below(key));
    parts.delete(key);
    return parts.size <= topology.mostParts ? parts : new Set();
  }

  /** Whether power, coolant or another supply reaches `to` from `from`. */
  isFed(to: number, from: number): boolean {
    return walk([to], this.suppliesByEntity).has(from);
  }

  /** Whether the topology links an entity to anything. */
  hasLinks(key: number): boolean {
    return [this.down, this.up, this.dependents, this.hosts].some((links) => links.has(key));
  }

  /** What feeds an entity with power, directly. */
  powerSuppliesOf(key: number): readonly number[] {
    return (this.suppliesByEntity.get(key) ?? []).filter((supply) => this.nodes.get(supply)?.layer === 'power');
  }

  /** Whether the supply of an entity, or of its supply, is missing in the topology, while others of its kind have one. */
  isCutOff(key: number): boolean {
    return computed(this.cutOff, key, () => {
      if (!this.down.has(key) && !this.up.has(key) && !this.dependents.has(key)) return false;
      this.fedKinds ??= new Set([...this.suppliesByEntity.keys()].map((fed) => this.nodes.get(fed)?.kind));
      const ends = [...walk([key], this.suppliesByEntity)].filter((one) => !this.suppliesByEntity.has(one));
      return ends.some((end) => this.fedKinds?.has(this.nodes.get(end)?.kind));
    });
  }

  /** Entities that may contain causes of an event at `key`, with their closest relation. */
  sourcesOf(key: number): ReadonlyMap<number, MechanismRelation> {
    const cached = this.origins.get(key);
    if (cached) return cached;
    const found = new Map<number, MechanismRelation>([[key, 'same']]);
    const add = (keys: Iterable<number>, relation: MechanismRelation): void => {
      for (const other of keys) if (!found.has(other)) found.set(other, relation);
    };
    add(this.above(key), 'below');
    const parts = this.below(key);
    if (parts.size <= topology.mostParts) add(parts, 'above');
    for (const container of this.containersOf(key)) add(this.below(container), 'beside');
    for (const host of walk([key], this.hosts)) {
      if (host === key) continue;
      add(this.above(host), 'carries');
      add(this.below(host), 'carries');
      add(this.those('node', host), 'carries');
    }
    // For workloads, the machine is their container, under any of its names.
    if (!this.isSoftware(key))
      for (const machine of [key, ...(this.hosts.get(key) ?? []), ...this.those('node', key)])
        add(this.those('pod', machine), 'above');
    add(otherSupplies(key, this), 'other supply');
    add(otherEnd(key, this), 'other end');
    this.origins.set(key, found);
    return found;
  }

  private containersOf(key: number): readonly number[] {
    return (this.containers.get(key) ?? []).filter((parent) => this.nodes.get(parent)?.kind !== 'rack');
  }

  /** The pods on a machine; or the orchestrator's node of it, if that is a separate entity. */
  private those(of: 'pod' | 'node', machine: number): readonly number[] {
    return (this.dependents.get(machine) ?? []).filter((key) => this.nodes.get(key)?.kind === of);
  }

  /** The machines of an entity: itself, its container or its host; the entity itself if there is none. */
  machinesOf(key: number): readonly number[] {
    return computed(this.machinesByEntity, key, () => {
      const ends = [...walk([key], this.hosts)].filter((host) => !this.hosts.has(host));
      return [...new Set((ends.length > 0 ? ends : [key]).map((end) => this.chassisOf(end)))];
    });
  }

  /** The machine of an entity, or the entity itself if unknown. The owner of a pod or rank is no machine. */
  machineOf(key: number): number {
    return this.machinesOf(key).find((machine) => !this.isSoftware(machine)) ?? key;
  }

  /** Machines with any part that satisfies a condition, by the key of the machine. */
  machines(holds: (key: number) => boolean): ReadonlySet<number> {
    const found = new Set<number>();
    for (const { key, kind } of this.nodes.values())
      if (machineKinds.has(kind) || partKinds.has(kind))
        if (holds(key)) for (const box of this.machinesOf(key)) if (this.isMachine(box)) found.add(box);
    return found;
  }

  private isMachine = (key: number): boolean => machineKinds.has(this.nodes.get(key)?.kind as EntityKind);

  /** The machines that a service runs on. */
  machinesOfService(service: number): readonly number[] {
    return this.isPlaced(service) ? this.machinesOf(service) : [];
  }

  /** The machines that an entity is, is part of, feeds, connects or contains. */
  machinesBelow(key: number): ReadonlySet<number> {
    const machines = () => new Set([...this.below(key)].flatMap((one) => this.machinesOf(one)));
    return computed(this.machinesUnder, key, machines);
  }

  /** Share of a service's machines that an entity is, is part of, feeds, connects or contains, 0 to 1; 1 if unknown. */
  shareOfService(key: number, service: number): number {
    const machines = this.machinesOfService(service);
    if (machines.length === 0) return 1;
    const own = computed(this.machineSets, service, () => new Set(machines));
    return [...this.machinesBelow(key)].filter((machine) => own.has(machine)).length / machines.length;
  }

  /** Services that a service calls, and those that they call. */
  calleesOf(service: number): ReadonlySet<number> {
    const found = new Set<number>();
    let frontier = [service];
    for (let hop = 0; hop < topology.mostCalls && frontier.length > 0; hop++)
      frontier = frontier
        .flatMap((caller) => this.callees.get(caller) ?? [])
        .filter((callee) => callee !== service && !found.has(callee) && found.add(callee));
    return found;
  }

  private chassisOf(key: number): number {
    let at = key;
    for (let hop = 0; hop < topology.mostHops; hop++) {
      const [container] = this.containersOf(at);
      if (container === undefined) break;
      at = container;
    }
    return at;
  }

  /** Services and jobs that live on an entity or anything below it, or are connected to it. */
  servicesOn = (key: number): ReadonlySet<number> => this.workloadsOn(key).services;

  /** Workloads on an entity among which an impacted one is to be found: pods, processes and ranks only if it is one of them. */
  private peersOn(key: number, impacted: number): ReadonlySet<number> {
    const { services, others } = this.workloadsOn(key);
    return this.isService(impacted) ? services : others;
  }

  private isService = (key: number): boolean => workKinds.has(this.nodes.get(key)?.kind as EntityKind);

  private workloadsOn(key: number): Workloads {
    return computed(this.carried, key, () => this.findWorkloads(key));
  }

  private findWorkloads(key: number): Workloads {
    const services = new Set<number>();
    const others = new Set<number>();
    const visit = (host: number, hops: number): void => {
      for (const dependent of this.dependents.get(host) ?? []) {
        if (this.isService(dependent)) {
          services.add(dependent);
          continue;
        }
        if (this.isSoftware(dependent)) others.add(dependent);
        if (hops < topology.mostHops) visit(dependent, hops + 1);
      }
    };
    const reached = this.below(key);
    for (const host of reached) {
      if (host !== key && this.isService(host)) services.add(host); // Of a store: what reads from it.
      visit(host, 0);
    }
    for (const machine of this.machinesBehind(key, reached)) visit(machine, 0);
    return { services, others };
  }

  /** Services on an entity; if there are none, those of its container or host; a service is its own. */
  servicesNear(key: number, hops = 0): ReadonlySet<number> {
    const own = this.servicesOn(key);
    if (own.size > 0) return own;
    const whole = new Set(this.containersOf(key).flatMap((container) => [...this.servicesOn(container)]));
    if (whole.size > 0) return whole;
    if (this.nodes.get(key)?.kind === 'service') return new Set([key]);
    const [host] = this.hosts.get(key) ?? [];
    return host === undefined || hops === topology.mostHops ? whole : this.servicesNear(host, hops + 1);
  }

  /** Machines that a switch or supply reaches only in part: a leaf switch connects cards, and serves workloads around them. */
  private machinesBehind(key: number, reached: ReadonlySet<number>): number[] {
    const kind = this.nodes.get(key)?.kind;
    if (kind === undefined || partKinds.has(kind) || (machineKinds.has(kind) && !this.hasPorts(key))) return [];
    return [...reached].flatMap((part) => this.containersOf(part)).filter((machine) => !reached.has(machine));
  }

  /** Whether it is a switch, by whatever kind its records call it. */
  private hasPorts(key: number): boolean {
    return this.directlyBelow(key).some((part) => this.nodes.get(part)?.kind === 'port');
  }

  /** Layers of the infrastructure of a service, by the topology. */
  layersUnder(service: number): ReadonlySet<Layer> {
    const found = new Set<Layer>();
    for (const key of this.sourcesOf(service).keys()) {
      const node = this.nodes.get(key);
      if (node && key !== service) found.add(node.layer);
    }
    return found;
  }

  relation(key: number, service: number): Relation {
    const known = computed(this.relations, service, () => new Map<number, Relation>());
    const cached = known.get(key);
    if (cached) return cached;
    // Cycles from bad records are ignored.
    known.set(key, 'unmapped');
    const found = this.findRelation(key, service);
    known.set(key, found);
    return found;
  }

  private findRelation(key: number, service: number): Relation {
    if (key < 0) return 'unmapped';
    if (key === service) return 'mapped';
    let services = this.peersOn(key, service);
    if (services.has(service)) return 'mapped';
    const parents = this.containersOf(key);
    if (services.size === 0) {
      services = new Set(parents.flatMap((parent) => [...this.peersOn(parent, service)]));
      if (services.has(service)) return 'mapped';
    } else if (parents.some((parent) => this.peersOn(parent, service).has(service))) return 'sibling';
    if (services.size === 0) {
      const { kind } = this.nodes.get(key) ?? {};
      if (kind === 'service') return this.callRelation(new Set([key]), service);
      const [host] = this.hosts.get(key) ?? [];
      return host === undefined ? 'unmapped' : this.guestRelation({ key, kind, host }, service);
    }
    return this.callRelation(services, service);
  }

  /** For entities on a machine without a service: a node is the machine, a batch pod shares it. */
  private guestRelation(
    { key, kind, host }: { readonly key: number; readonly kind: EntityKind | undefined; readonly host: number },
    service: number,
  ): Relation {
    const found = host === key ? 'unmapped' : this.relation(host, service);
    return kind !== 'node' && found === 'mapped' ? 'sibling' : found;
  }

  private callRelation(services: ReadonlySet<number>, service: number): Relation {
    for (const callee of this.calleesOf(service)) if (services.has(callee)) return 'caller';
    return 'other';
  }

  /** Whether the infrastructure of the service is known; without it no device can be linked or ruled out. */
  isPlaced(service: number): boolean {
    return this.placed.has(service);
  }
}
