import { type EntityKind, type Layer, layerOf } from '../../model/entity.ts';
import type { EdgeKind } from '../../model/topology.ts';
import type { CallFact, EdgeFact, EntityFact } from '../store/reader.ts';
import type { MechanismRelation } from './mechanism-relation.ts';

export interface EntityNode {
  readonly key: number;
  readonly kind: EntityKind;
  readonly id: string;
  readonly layer: Layer;
}

/**
 * How an entity relates to a service: `mapped` (the service runs on it or on what it feeds or contains),
 * `caller` (it carries a service that this one calls), `sibling` (same machine, but only other services are
 * mapped to it), `other` (only other services), `unmapped` (leads to no service at all).
 */
export type Relation = 'mapped' | 'caller' | 'sibling' | 'other' | 'unmapped';

/** Effects travel from a PDU to what it feeds, from a machine to what it contains, from a switch to its peers. */
const downward: readonly EdgeKind[] = ['feeds', 'contains', 'connects'];
/** UPS -> PDU -> outlet -> PSU -> server -> GPU is the longest real chain, with one to spare. */
const MAX_HOPS = 6;
/** A slow service is felt by its callers; beyond three calls the claim is too weak to make. */
const MAX_CALLS = 3;

/** What has more below it than any machine is no machine, and no part of it speaks for the whole. */
const MOST_PARTS = 200;

/** Canonical entities and the links valid at one instant. */
export class EntityGraph {
  private readonly nodes = new Map<number, EntityNode>();
  private readonly down = new Map<number, number[]>();
  private readonly containers = new Map<number, number[]>();
  private readonly dependents = new Map<number, number[]>();
  private readonly callees = new Map<number, number[]>();
  private readonly placed = new Set<number>();
  private readonly reach = new Map<number, ReadonlySet<number>>();
  private readonly up = new Map<number, number[]>();
  private readonly hosts = new Map<number, number[]>();
  private readonly origins = new Map<number, ReadonlyMap<number, MechanismRelation>>();
  private readonly relations = new Map<number, Map<number, Relation>>();
  private readonly carried = new Map<number, ReadonlySet<number>>();

  constructor(entities: readonly EntityFact[], edges: readonly EdgeFact[], at_ns: bigint) {
    for (const { entity_id, canonical_id, kind, id } of entities) {
      if (entity_id === canonical_id)
        this.nodes.set(canonical_id, { key: canonical_id, kind, id, layer: layerOf(kind) });
    }
    for (const edge of edges) {
      if (edge.valid_from_ns > at_ns || edge.valid_to_ns <= at_ns || edge.from_id === edge.to_id) continue;
      this.addEdge(edge);
    }
  }

  private addEdge({ from_id, kind, to_id }: EdgeFact): void {
    if (downward.includes(kind)) {
      push(this.down, from_id, to_id);
      push(this.up, to_id, from_id);
    }
    if (kind === 'contains') push(this.containers, to_id, from_id);
    if (kind === 'runs_on' || kind === 'member_of') {
      push(this.dependents, to_id, from_id);
      push(this.hosts, from_id, to_id);
      this.placed.add(from_id);
    }
    if (kind === 'calls') push(this.callees, from_id, to_id);
  }

  addCalls(calls: readonly CallFact[]): void {
    for (const { caller, callee } of calls) push(this.callees, caller, callee);
    this.relations.clear();
  }

  node(key: number): EntityNode | undefined {
    return this.nodes.get(key);
  }

  all(): IterableIterator<EntityNode> {
    return this.nodes.values();
  }

  /** Everything an effect at `from` can reach downward, itself included. */
  below(from: number): ReadonlySet<number> {
    const cached = this.reach.get(from);
    if (cached) return cached;
    const reached = walk([from], this.down);
    this.reach.set(from, reached);
    return reached;
  }

  directlyBelow(key: number): readonly number[] {
    return this.down.get(key) ?? [];
  }

  /** Everything whose effects reach `to`, itself included. */
  above(to: number): ReadonlySet<number> {
    return walk([to], this.up);
  }

  /** Where causes of something at `key` may lie, and how it lies to them; the closest relation counts. */
  sourcesOf(key: number): ReadonlyMap<number, MechanismRelation> {
    const cached = this.origins.get(key);
    if (cached) return cached;
    const found = new Map<number, MechanismRelation>([[key, 'same']]);
    const add = (keys: Iterable<number>, relation: MechanismRelation): void => {
      for (const other of keys) if (!found.has(other)) found.set(other, relation);
    };
    add(this.above(key), 'below');
    const parts = this.below(key);
    if (parts.size <= MOST_PARTS) add(parts, 'above');
    for (const container of this.containersOf(key)) add(this.below(container), 'beside');
    for (const host of walk([key], this.hosts)) {
      if (host === key) continue;
      add(this.above(host), 'carries');
      add(this.below(host), 'carries');
    }
    this.origins.set(key, found);
    return found;
  }

  private containersOf(key: number): readonly number[] {
    return (this.containers.get(key) ?? []).filter((parent) => this.nodes.get(parent)?.kind !== 'rack');
  }

  /** Services that live on an entity or on anything below it. */
  servicesOn(key: number): ReadonlySet<number> {
    const cached = this.carried.get(key);
    if (cached) return cached;
    const services = new Set<number>();
    const visit = (host: number, hops: number): void => {
      for (const dependent of this.dependents.get(host) ?? []) {
        const kind = this.nodes.get(dependent)?.kind;
        if (kind === 'service' || kind === 'job') services.add(dependent);
        else if (hops < MAX_HOPS) visit(dependent, hops + 1);
      }
    };
    for (const host of this.below(key)) visit(host, 0);
    this.carried.set(key, services);
    return services;
  }

  /** Layers of everything that a service runs on, as far as the topology tells. */
  layersUnder(service: number): ReadonlySet<Layer> {
    const found = new Set<Layer>();
    for (const key of this.sourcesOf(service).keys()) {
      const node = this.nodes.get(key);
      if (node && key !== service) found.add(node.layer);
    }
    return found;
  }

  relation(key: number, service: number): Relation {
    const known = this.relations.get(service) ?? new Map<number, Relation>();
    this.relations.set(service, known);
    const cached = known.get(key);
    if (cached) return cached;
    const found = this.findRelation(key, service);
    known.set(key, found);
    return found;
  }

  private findRelation(key: number, service: number): Relation {
    if (key < 0) return 'unmapped';
    if (key === service) return 'mapped';
    let services = this.servicesOn(key);
    if (services.has(service)) return 'mapped';
    const parents = this.containersOf(key);
    if (services.size === 0) {
      services = new Set(parents.flatMap((parent) => [...this.servicesOn(parent)]));
      if (services.has(service)) return 'mapped';
    } else if (parents.some((parent) => this.servicesOn(parent).has(service))) return 'sibling';
    if (services.size === 0)
      return this.nodes.get(key)?.kind === 'service' ? this.callRelation(new Set([key]), service) : 'unmapped';
    return this.callRelation(services, service);
  }

  private callRelation(services: ReadonlySet<number>, service: number): Relation {
    let frontier = [service];
    const seen = new Set(frontier);
    for (let hop = 0; hop < MAX_CALLS && frontier.length > 0; hop++) {
      frontier = frontier
        .flatMap((caller) => this.callees.get(caller) ?? [])
        .filter((callee) => !seen.has(callee) && seen.add(callee));
      if (frontier.some((callee) => services.has(callee))) return 'caller';
    }
    return 'other';
  }

  /** Whether anything says where the service runs; without it no device can be tied to it or cleared. */
  isPlaced(service: number): boolean {
    return this.placed.has(service);
  }
}

function walk(from: readonly number[], edges: ReadonlyMap<number, readonly number[]>): ReadonlySet<number> {
  const reached = new Set(from);
  let frontier = from;
  for (let hop = 0; hop < MAX_HOPS && frontier.length > 0; hop++)
    frontier = frontier.flatMap((key) => edges.get(key) ?? []).filter((key) => !reached.has(key) && reached.add(key));
  return reached;
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (!list) map.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
