import { jsonMembers } from '../../../base/json-members.ts';
import { entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';
import { type Comparison, shareCandidate } from './candidate.ts';

/** Entities with names, parents and attributes. */
export interface KnownEntities {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  readonly attributes: readonly { readonly entity_id: number; readonly attributes: string }[];
}

const relationLabels: Readonly<Record<string, string>> = { feeds: 'fed by', contains: 'in', connects: 'connected to' };

/**
 * Compares the selected entities with the others of their kinds: common attributes, racks, supplies or switches. Each entity is
 * one row. Empty if none or all of a kind were selected.
 */
export function entityDifferences(selected: readonly string[], known: KnownEntities): Comparison {
  const canonicalEntities = known.entities.filter(({ entity_id, canonical_id }) => entity_id === canonical_id);
  const byKey = new Map(known.entities.map(({ kind, id, canonical_id }) => [entityKey(kind, id), canonical_id]));
  const inside = new Set(selected.flatMap((key) => byKey.get(key) ?? []));
  const kinds = new Set(
    canonicalEntities.filter(({ canonical_id }) => inside.has(canonical_id)).map(({ kind }) => kind),
  );
  const population = canonicalEntities.filter(({ kind }) => kinds.has(kind));
  const all = { region: inside.size, baseline: population.length - inside.size, squares: population.length };
  if (inside.size < 2 || all.baseline === 0) return { candidates: [], compared: [], left_out: [] };
  const members = new Set(population.map(({ canonical_id }) => canonical_id));
  const holders = new Map<string, Set<number>>();
  for (const [entity, attribute, value] of statedAttributes(known, members)) {
    const name = `${attribute}\n${value}`;
    const list = holders.get(name) ?? new Set();
    holders.set(name, list.add(entity));
  }
  const candidates = [...holders].map(([name, list]) => {
    const [attribute = '', value = ''] = name.split('\n');
    const region = [...list].filter((entity) => inside.has(entity)).length;
    const [baseline, squares] = [list.size - region, list.size];
    const counts = { region, baseline, region_groups: region, baseline_groups: baseline, squares, products: squares };
    return shareCandidate({ population: 'entities', attribute, value }, counts, all);
  });
  const counts = { region: all.region, baseline: all.baseline, region_share: 1, baseline_share: 1 };
  return { candidates, compared: [{ population: 'entities', ...counts, tested: candidates.length }], left_out: [] };
}

function* statedAttributes(
  { entities, edges, attributes }: KnownEntities,
  members: ReadonlySet<number>,
): Generator<readonly [entity: number, attribute: string, value: string]> {
  const byId = new Map(entities.map((one) => [one.entity_id, one]));
  for (const { entity_id, attributes: text } of attributes) {
    const entity = byId.get(entity_id)?.canonical_id;
    if (entity === undefined || !members.has(entity)) continue;
    for (const [name, value] of Object.entries(jsonMembers(text)))
      if (typeof value !== 'object') yield [entity, `entity ${name}`, String(value)];
  }
  for (const { kind, from_id, to_id } of edges) {
    const relation = relationLabels[kind];
    const container = byId.get(from_id);
    if (relation && container && members.has(to_id)) yield [to_id, `${relation} ${container.kind}`, container.id];
  }
}
