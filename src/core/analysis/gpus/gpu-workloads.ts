import { type EntityKind, entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';
import { topology } from '../topology/parameters.ts';
import { fleet } from './parameters.ts';

/** Services and jobs; pods and ranks are only steps of the path. */
const work: ReadonlySet<EntityKind> = new Set(['service', 'job']);

/** What is recorded of workloads and of where they run. */
export interface Workloads {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  /** Canonical entities of services that read hardware and do no work on it. */
  readonly observers: ReadonlySet<number>;
}

/**
 * Services and jobs that used an entity within a time, as `kind:id`: workloads on it or on its parents, and their owners. If the
 * GPU of a service is unknown, all GPUs of its machine count. What only reads a GPU does not use it.
 */
export function workOf(
  { entities, edges, observers }: Workloads,
  window: { readonly start_ns: bigint; readonly end_ns: bigint },
): (entity: number) => readonly string[] {
  const own = entities.filter((e) => e.entity_id === e.canonical_id && !observers.has(e.entity_id));
  const known = new Map(own.map((e) => [e.entity_id, e]));
  const next = new Map<number, number[]>();
  const holders = new Map<number, number[]>();
  const add = (from: number, to: number, map: Map<number, number[]>) => map.set(from, [...(map.get(from) ?? []), to]);
  for (const { kind, from_id, to_id, valid_from_ns, valid_to_ns } of edges) {
    if (valid_from_ns > window.end_ns || valid_to_ns <= window.start_ns) continue;
    if (kind === 'runs_on') add(to_id, from_id, next);
    else if (kind === 'member_of') add(from_id, to_id, next);
    else if (kind === 'contains') add(to_id, from_id, holders);
  }
  const usedBy = (entity: number): readonly string[] => {
    const seen = new Set([entity]);
    let front = [entity];
    const found = new Set<string>();
    for (let step = 0; step < topology.mostHops && front.length > 0; step++) {
      front = front.flatMap((one) => next.get(one) ?? []).filter((one) => !seen.has(one));
      for (const one of front) {
        seen.add(one);
        const container = known.get(one);
        if (container && work.has(container.kind)) found.add(entityKey(container.kind, container.id));
      }
    }
    return [...found].sort();
  };
  return (entity) => {
    const own = usedBy(entity);
    if (own.length > 0) return own;
    const machines = (holders.get(entity) ?? []).filter((one) => known.get(one)?.kind !== 'rack');
    return [...new Set(machines.flatMap(usedBy))].sort();
  };
}

/**
 * GPUs of the same workload; GPUs with unknown workload are compared with each other. A few that share a service or job with
 * many others are compared with those: an exporter that names all GPUs of a machine but one divides a workload for no reason.
 * @param works services and jobs of each GPU
 */
export function peersAmong(works: readonly (readonly string[])[]): (gpu: number) => readonly number[] {
  const keys = works.map((work) => work.join('\n'));
  const groups = Map.groupBy(works.keys(), (gpu) => keys[gpu]!);
  const large = [...groups.entries()]
    .filter(([, gpus]) => gpus.length >= fleet.leastPeers)
    .sort(([, a], [, b]) => b.length - a.length);
  const joined = new Map([...groups.keys()].map((key) => [key, key]));
  for (const [key, gpus] of groups) {
    const own = key.split('\n');
    const host = large.find(([other]) => key !== '' && other.split('\n').some((name) => own.includes(name)));
    if (gpus.length < fleet.leastPeers && host) joined.set(key, host[0]);
  }
  const peers = Map.groupBy(works.keys(), (gpu) => joined.get(keys[gpu]!)!);
  return (gpu) => peers.get(joined.get(keys[gpu] ?? '') ?? '') ?? [];
}
