import type { EntityKind } from '../../../model/entity.ts';

/** What is read of the topology. */
interface Links {
  node(key: number): { readonly kind: EntityKind } | undefined;
  directlyBelow(key: number): readonly number[];
  above(key: number): ReadonlySet<number>;
}

const ends: ReadonlySet<EntityKind> = new Set(['port', 'nic']);

/**
 * What is at the other end of the cables of a port, with the machine or switch that it is in and all that feeds these: a port has no
 * carrier when the device at the other end has no power or restarts.
 */
export function otherEnd(key: number, graph: Links): number[] {
  const isEnd = (one: number): boolean => ends.has(graph.node(one)?.kind ?? 'device');
  if (!isEnd(key)) return [];
  return graph
    .directlyBelow(key)
    .filter(isEnd)
    .flatMap((end) => [...graph.above(end)]);
}
