import { type EntityKind, entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';
import { topology } from '../topology/parameters.ts';
import type { RankPlace } from './job.ts';

const MOST_NAMED = 16;
export const hostKinds: readonly EntityKind[] = ['server', 'node', 'instance'];

/** Where a rank runs by the links of all its entities, of any time: what they run on, and what contains that. */
export function rankPlaces(
  known: ReadonlyMap<number, EntityFact>,
  edges: readonly EdgeFact[],
): (entities: readonly number[]) => RankPlace {
  const above = new Map<number, Set<number>>();
  for (const { kind, from_id, to_id } of edges) {
    if (kind !== 'runs_on' && kind !== 'contains') continue;
    const [part, whole] = kind === 'runs_on' ? [from_id, to_id] : [to_id, from_id];
    const wholes = above.get(part);
    if (wholes) wholes.add(whole);
    else above.set(part, new Set([whole]));
  }
  return (entities) => {
    const found = new Set(entities);
    let front: readonly number[] = entities;
    for (let hop = 0; hop < topology.mostHops && front.length > 0; hop++) {
      front = front.flatMap((one) => [...(above.get(one) ?? [])]).filter((one) => !found.has(one));
      for (const one of front) found.add(one);
    }
    const nodes = [...found].flatMap((one) => known.get(one) ?? []);
    const keys = (kind: EntityKind): string[] =>
      nodes
        .filter((node) => node.kind === kind)
        .map(({ id }) => entityKey(kind, id))
        .sort()
        .slice(0, MOST_NAMED);
    // A node of Kubernetes is its server by another name.
    const hosts = hostKinds.map(keys).find((some) => some.length > 0) ?? [];
    return { gpus: keys('gpu'), hosts, racks: keys('rack') };
  };
}
