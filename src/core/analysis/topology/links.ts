import type { Layer } from '../../../model/entity.ts';
import { topology } from './parameters.ts';

/** Number of entities by layer. */
export function countBy(nodes: Iterable<{ readonly layer: Layer }>): ReadonlyMap<Layer, number> {
  const counts = new Map<Layer, number>();
  for (const { layer } of nodes) counts.set(layer, (counts.get(layer) ?? 0) + 1);
  return counts;
}

/** Everything that edges lead to, the beginnings included. */
export function walk(from: readonly number[], edges: ReadonlyMap<number, readonly number[]>): ReadonlySet<number> {
  const reached = new Set(from);
  let frontier = from;
  for (let hop = 0; hop < topology.mostHops && frontier.length > 0; hop++) {
    const next: number[] = [];
    for (const key of frontier)
      for (const to of edges.get(key) ?? [])
        if (!reached.has(to)) {
          reached.add(to);
          next.push(to);
        }
    frontier = next;
  }
  return reached;
}

/** Lists up to this length are searched; a service on twenty thousand machines would be searched for each of them. */
const SEARCHED = 64;
const members = new WeakMap<readonly number[], Set<number>>();

/** Adds a value to the list of a key, once. */
export function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (!list) map.set(key, [value]);
  else if (list.length < SEARCHED) {
    if (!list.includes(value)) list.push(value);
  } else {
    const known = members.get(list) ?? new Set(list);
    members.set(list, known);
    if (!known.has(value)) list.push(value);
    known.add(value);
  }
}

/** The value of a key, computed the first time. */
export function computed<K, T>(known: Map<K, T>, key: K, compute: () => T): T {
  if (!known.has(key)) known.set(key, compute());
  return known.get(key) as T;
}
