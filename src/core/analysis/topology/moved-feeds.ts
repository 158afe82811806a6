import { entityKey } from '../../../model/entity.ts';
import type { WhatIf } from '../../../model/incident/what-if.ts';
import { fail } from '../../../model/problem.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../../model/rows/rows.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';

interface Places {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
}

/**
 * The edges with feeds moved, in the order of the request. If a machine has power supplies of its own, their feeds move; feeds
 * "through" an entity (its outlets) count as that entity. A new feed is always valid.
 * @throws ProblemError what_if.unknown_entity, what_if.ambiguous
 */
export function moveFeeds({ entities, edges }: Places, moves: WhatIf['moved_feeds']): readonly EdgeFact[] {
  let moved = edges;
  for (const { to, from, instead_of } of moves) {
    const fed = keyOf(entities, to);
    const supply = from === null ? null : keyOf(entities, from);
    const old = instead_of === null ? null : keyOf(entities, instead_of);
    if (supply === fed) fail('what_if.unknown_entity', `${to} cannot feed itself`, { hint: 'name the supply' });
    moved = moveOne({ entities, edges: moved }, { fed, supply: supply, old });
  }
  return moved;
}

interface OneMove {
  readonly fed: number;
  readonly supply: number | null;
  readonly old: number | null;
}

function moveOne({ entities, edges }: Places, { fed, supply, old }: OneMove): readonly EdgeFact[] {
  const supplies = new Set(entities.filter(({ kind }) => kind === 'psu').map(({ canonical_id }) => canonical_id));
  const inlets = new Set(
    edges
      .filter(({ kind, from_id, to_id }) => kind === 'contains' && from_id === fed && supplies.has(to_id))
      .map(({ to_id }) => to_id),
  );
  inlets.add(fed);
  const parts = new Set(
    edges
      .filter(({ kind, from_id }) => from_id === old && (kind === 'contains' || kind === 'feeds'))
      .map(({ to_id }) => to_id),
  );
  const isOld = ({ kind, from_id, to_id }: EdgeFact): boolean =>
    kind === 'feeds' && inlets.has(to_id) && (old === null || from_id === old || parts.has(from_id));
  const left = edges.filter((edge) => !isOld(edge));
  if (supply === null) return left;
  const freed = new Set(edges.filter(isOld).map(({ to_id }) => to_id));
  const always = { valid_from_ns: ALWAYS_FROM, valid_to_ns: ALWAYS_TO };
  const inlet = freed.size > 0 ? [...freed] : [fed];
  return [...left, ...inlet.map((to_id): EdgeFact => ({ from_id: supply, kind: 'feeds', to_id, ...always }))];
}

const LISTED = 8;

/** Resolves `kind:id` or `id` to a canonical entity. */
function keyOf(entities: readonly EntityFact[], name: string): number {
  const full = entities.filter(({ kind, id }) => entityKey(kind, id) === name);
  const meant = full.length > 0 ? full : entities.filter(({ id }) => id === name);
  const keys = new Set(meant.map(({ canonical_id }) => canonical_id));
  const [key] = keys;
  if (key === undefined) {
    const wanted = name.slice(name.indexOf(':') + 1).toLowerCase();
    const alike = entities
      .filter(({ id }) => isAlike(id.toLowerCase(), wanted))
      .map(({ kind, id }) => entityKey(kind, id));
    const hint =
      alike.length > 0
        ? `do you mean ${alike.slice(0, LISTED).join(', ')}?`
        : '`faultline query CASE "select kind, id from entity"` lists them';
    return fail('what_if.unknown_entity', `there is no "${name}" in this case`, { hint });
  }
  if (keys.size > 1)
    return fail('what_if.ambiguous', `"${name}" matches ${keys.size} entities`, {
      hint: `name one of ${meant.map(({ kind, id }) => entityKey(kind, id)).join(', ')}`,
    });
  return key;
}

/** One contains the other, or they differ in their last characters only. */
function isAlike(id: string, wanted: string): boolean {
  if (wanted.length < 2) return false;
  return id.includes(wanted) || wanted.includes(id) || (wanted.length > 3 && id.startsWith(wanted.slice(0, -2)));
}
