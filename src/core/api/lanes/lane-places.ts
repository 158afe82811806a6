import { type EntityKind, entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';

/** Containment links by priority; the lowest wins. */
interface Containment {
  readonly part: number;
  readonly container: number;
  readonly order: number;
}

/** Maximum depth; deeper nesting is a cycle. */
const MOST_DEEP = 6;

/**
 * Containers of each entity, outermost first, as `kind:id`: rack, server of a GPU; job of a rank. If several containers are
 * possible at the same time none is chosen, and the entity is at the top level.
 * @returns of a canonical entity
 */
export function placesOf(
  entities: readonly EntityFact[],
  edges: readonly EdgeFact[],
): (entity: number) => readonly string[] {
  const known = new Map(entities.filter((e) => e.entity_id === e.canonical_id).map((e) => [e.entity_id, e]));
  const holders = holdersOf(edges, (entity) => known.get(entity)?.kind);
  const found = new Map<number, readonly string[]>();
  const placeOf = (entity: number, depth: number): readonly string[] => {
    const cached = found.get(entity);
    if (cached) return cached;
    const container = holders.get(entity)?.container ?? null;
    const containerEntity = container === null ? undefined : known.get(container);
    const place =
      container === null || !containerEntity || depth >= MOST_DEEP
        ? []
        : [...placeOf(container, depth + 1), entityKey(containerEntity.kind, containerEntity.id)];
    found.set(entity, place);
    return place;
  };
  return (entity) => placeOf(entity, 0);
}

interface Best {
  /** null: ambiguous. */
  readonly container: number | null;
  readonly order: number;
  readonly edge: EdgeFact;
}

/** Of several links the one that counts most, and of those the latest, because entities are moved. */
function holdersOf(
  edges: readonly EdgeFact[],
  kindOf: (entity: number) => EntityKind | undefined,
): ReadonlyMap<number, Best> {
  const best = new Map<number, Best>();
  for (const edge of edges) {
    const containment = containmentOf(edge, kindOf);
    if (!containment || containment.part === containment.container) continue;
    const before = best.get(containment.part);
    const order = before ? compare(containment.order, edge, before) : -1;
    if (order < 0) best.set(containment.part, { container: containment.container, order: containment.order, edge });
    else if (order === 0 && before && before.container !== containment.container)
      best.set(containment.part, { ...before, container: null });
  }
  return best;
}

function compare(order: number, edge: EdgeFact, before: Best): number {
  if (order !== before.order) return order - before.order;
  if (edge.valid_to_ns !== before.edge.valid_to_ns) return edge.valid_to_ns > before.edge.valid_to_ns ? -1 : 1;
  if (edge.valid_from_ns !== before.edge.valid_from_ns) return edge.valid_from_ns > before.edge.valid_from_ns ? -1 : 1;
  return 0;
}

function containmentOf(
  { kind, from_id, to_id }: EdgeFact,
  kindOf: (entity: number) => EntityKind | undefined,
): Containment | null {
  switch (kind) {
    case 'contains':
      return { part: to_id, container: from_id, order: 1 };
    case 'runs_on':
      // A service has no container.
      return kindOf(from_id) === 'service' ? null : { part: from_id, container: to_id, order: 2 };
    case 'member_of':
      return { part: from_id, container: to_id, order: kindOf(from_id) === 'rank' ? 0 : 3 };
    case 'feeds':
      // A PDU that feeds one rack belongs to it.
      return kindOf(from_id) === 'pdu' && kindOf(to_id) === 'rack'
        ? { part: from_id, container: to_id, order: 4 }
        : null;
    default:
      return null;
  }
}
