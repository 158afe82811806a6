import { type EntityKind, entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';

/** A link says which thing holds the other, and how much that counts against other links: the lowest wins. */
interface Holding {
  readonly held: number;
  readonly holder: number;
  readonly order: number;
}

/** In racks stand few things; what claims to lie deeper is a loop. */
const MOST_DEEP = 6;

/**
 * What holds each thing, outermost first, as `kind:id`: rack, server of a GPU; job of a rank. Where the links name
 * several holders at the same time nothing is chosen, and the thing stands by itself.
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
    const holder = holders.get(entity)?.holder ?? null;
    const thing = holder === null ? undefined : known.get(holder);
    const place =
      holder === null || !thing || depth >= MOST_DEEP
        ? []
        : [...placeOf(holder, depth + 1), entityKey(thing.kind, thing.id)];
    found.set(entity, place);
    return place;
  };
  return (entity) => placeOf(entity, 0);
}

interface Best {
  /** null: several, and nothing tells which. */
  readonly holder: number | null;
  readonly order: number;
  readonly edge: EdgeFact;
}

/** Of several links the one that counts most, and of those the one that held last: things are moved. */
function holdersOf(
  edges: readonly EdgeFact[],
  kindOf: (entity: number) => EntityKind | undefined,
): ReadonlyMap<number, Best> {
  const best = new Map<number, Best>();
  for (const edge of edges) {
    const holding = holdingOf(edge, kindOf);
    if (!holding || holding.held === holding.holder) continue;
    const before = best.get(holding.held);
    const order = before ? compare(holding.order, edge, before) : -1;
    if (order < 0) best.set(holding.held, { holder: holding.holder, order: holding.order, edge });
    else if (order === 0 && before && before.holder !== holding.holder)
      best.set(holding.held, { ...before, holder: null });
  }
  return best;
}

function compare(order: number, edge: EdgeFact, before: Best): number {
  if (order !== before.order) return order - before.order;
  if (edge.valid_to_ns !== before.edge.valid_to_ns) return edge.valid_to_ns > before.edge.valid_to_ns ? -1 : 1;
  if (edge.valid_from_ns !== before.edge.valid_from_ns) return edge.valid_from_ns > before.edge.valid_from_ns ? -1 : 1;
  return 0;
}

function holdingOf(
  { kind, from_id, to_id }: EdgeFact,
  kindOf: (entity: number) => EntityKind | undefined,
): Holding | null {
  switch (kind) {
    case 'contains':
      return { held: to_id, holder: from_id, order: 1 };
    case 'runs_on':
      // A service runs on whatever it is given: it is held by none of it.
      return kindOf(from_id) === 'service' ? null : { held: from_id, holder: to_id, order: 2 };
    case 'member_of':
      return { held: from_id, holder: to_id, order: kindOf(from_id) === 'rank' ? 0 : 3 };
    case 'feeds':
      // A strip that feeds one rack is that rack's.
      return kindOf(from_id) === 'pdu' && kindOf(to_id) === 'rack' ? { held: from_id, holder: to_id, order: 4 } : null;
    default:
      return null;
  }
}
