import type { EntityKind } from '../../../model/entity.ts';

/** What is read of the topology. */
interface Links {
  node(key: number): { readonly kind: EntityKind } | undefined;
  below(key: number): ReadonlySet<number>;
  above(key: number): ReadonlySet<number>;
  machinesBelow(key: number): ReadonlySet<number>;
}

const supplyKinds: ReadonlySet<EntityKind> = new Set(['pdu', 'ups', 'breaker']);

/**
 * Supplies that feed a machine behind an entity as well, neither through it nor to it: when one of two feeds is lost, the other
 * carries the whole load. A UPS that drops its load may overload the PDU of the other feed.
 */
export function otherSupplies(key: number, graph: Links): number[] {
  const kind = graph.node(key)?.kind;
  if (kind === undefined || !supplyKinds.has(kind)) return [];
  const own = graph.below(key);
  const around = new Set([...graph.machinesBelow(key)].flatMap((machine) => [...graph.above(machine)]));
  const upstream = graph.above(key);
  const isSupply = (one: number): boolean => supplyKinds.has(graph.node(one)?.kind ?? 'device');
  return [...around].filter((one) => isSupply(one) && !own.has(one) && !upstream.has(one));
}
