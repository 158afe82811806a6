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
 * Supplies of the same kind that feed a machine behind an entity as well, and do not feed the entity: when one of two feeds is lost,
 * the other carries the whole load.
 */
export function otherSupplies(key: number, graph: Links): number[] {
  const kind = graph.node(key)?.kind;
  if (kind === undefined || !supplyKinds.has(kind)) return [];
  const own = graph.below(key);
  const around = new Set([...graph.machinesBelow(key)].flatMap((machine) => [...graph.above(machine)]));
  return [...around].filter((one) => graph.node(one)?.kind === kind && !own.has(one));
}
