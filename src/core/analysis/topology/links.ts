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
  for (let hop = 0; hop < topology.mostHops && frontier.length > 0; hop++)
    frontier = frontier.flatMap((key) => edges.get(key) ?? []).filter((key) => !reached.has(key) && reached.add(key));
  return reached;
}

/** Adds a value to the list of a key, once. */
export function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (!list) map.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
