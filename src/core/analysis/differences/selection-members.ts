import { jsonMembers } from '../../../base/json-members.ts';
import { entityKey } from '../../../model/entity.ts';
import type { DifferenceFilter, EntityFact, ResourceFact } from '../../store/facts/reader.ts';

/** Resource attributes that name another entity than the sender. */
const NAMES = ['k8s.node.name', 'k8s.pod.name', 'host.name', 'container.name', 'service.instance.id', 'service.name'];

/**
 * Store entities of a selection: all aliases of the selected entities. Spans name a pod only by a resource attribute, without
 * the namespace of its entity.
 * @param keys `kind:id`; [] selects all
 */
export function selectionMembers(
  keys: readonly string[],
  entities: readonly EntityFact[],
  resources: readonly ResourceFact[],
): DifferenceFilter['members'] {
  if (keys.length === 0) return null;
  const wanted = new Set(keys);
  const canonical = new Set(
    entities.filter(({ kind, id }) => wanted.has(entityKey(kind, id))).map(({ canonical_id }) => canonical_id),
  );
  const meant = entities.filter(({ canonical_id }) => canonical.has(canonical_id));
  const ids = new Set(meant.map(({ entity_id }) => entity_id));
  const names = new Set(meant.flatMap(({ id }) => [id, id.slice(id.lastIndexOf('/') + 1)]));
  const named = (attributes: string): boolean => {
    const known = jsonMembers(attributes);
    return NAMES.some((name) => typeof known[name] === 'string' && names.has(known[name]));
  };
  return {
    entities: [...ids],
    services: meant.filter(({ kind }) => kind === 'service').map(({ entity_id }) => entity_id),
    resources: resources
      .filter(({ entity, attributes }) => ids.has(entity) || named(attributes))
      .map(({ resource_id }) => resource_id),
  };
}
