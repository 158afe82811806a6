import type { Output } from '../../../model/contract/index.ts';
import { type EntityKind, entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';

/** These count as their container. */
const parts: ReadonlySet<EntityKind> = new Set(['psu', 'outlet', 'breaker']);

/** Feeds as a what-if moves them: a PSU counts as its machine, an outlet or breaker as its container. */
export function feedsOf(entities: readonly EntityFact[], edges: readonly EdgeFact[]): Output<'feeds.list'> {
  const known = new Map(entities.filter((e) => e.entity_id === e.canonical_id).map((e) => [e.entity_id, e]));
  const wholes = new Map<number, number>();
  for (const { kind, from_id, to_id } of edges)
    if (kind === 'contains' && parts.has(known.get(to_id)?.kind ?? 'device'))
      wholes.set(to_id, Math.min(from_id, wholes.get(to_id) ?? from_id));
  const nameOf = (key: number): string => {
    const entity = known.get(wholes.get(key) ?? key);
    return entity ? entityKey(entity.kind, entity.id) : '';
  };
  const pairs = edges
    .filter(({ kind }) => kind === 'feeds')
    .map(({ from_id, to_id }) => ({ supply: nameOf(from_id), fed: nameOf(to_id) }))
    .filter(({ supply, fed }) => supply !== '' && fed !== '' && supply !== fed);
  const distinct = new Map(pairs.map((pair) => [`${pair.supply}\n${pair.fed}`, pair]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
}
