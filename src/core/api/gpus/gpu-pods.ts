import { entityKey } from '../../../model/entity.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';

/** Pods that ran on a GPU within a time, as `kind:id`; on its machine, if none is linked to the GPU itself. */
export function podsOn(
  entities: readonly EntityFact[],
  edges: readonly EdgeFact[],
  { start_ns, end_ns }: { readonly start_ns: bigint; readonly end_ns: bigint },
): (entity: number) => readonly string[] {
  const own = entities.filter((one) => one.entity_id === one.canonical_id);
  const names = new Map(own.map(({ entity_id, kind, id }) => [entity_id, { kind, key: entityKey(kind, id) }]));
  const valid = edges.filter((edge) => edge.valid_from_ns <= end_ns && edge.valid_to_ns > start_ns);
  const runs = Map.groupBy(
    valid.filter(({ kind, from_id }) => kind === 'runs_on' && names.get(from_id)?.kind === 'pod'),
    ({ to_id }) => to_id,
  );
  const holders = Map.groupBy(
    valid.filter(({ kind, from_id }) => kind === 'contains' && names.get(from_id)?.kind !== 'rack'),
    ({ to_id }) => to_id,
  );
  const on = (entity: number): string[] =>
    (runs.get(entity) ?? []).flatMap(({ from_id }) => names.get(from_id)?.key ?? []);
  return (entity) => {
    const direct = on(entity);
    const found = direct.length > 0 ? direct : (holders.get(entity) ?? []).flatMap(({ from_id }) => on(from_id));
    return [...new Set(found)].toSorted();
  };
}
