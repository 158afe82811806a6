import type { ImpactWindow } from '../impact/impact.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';

interface Place {
  readonly window: Pick<ImpactWindow, 'service' | 'parts'>;
  readonly graph: EntityGraph;
}

/** The machines of the replicas or ranks that degraded; undefined: others of the service did too, or it is not known where they run. */
export function machinesOfReplicas({ window, graph }: Place): ReadonlySet<number> | undefined {
  const names = new Set(
    window.parts.filter(({ kind }) => kind === 'replica' || kind === 'rank').map(({ name }) => name),
  );
  if (names.size === 0) return undefined;
  const all = new Set(graph.machinesOfService(window.service));
  // A pod is recorded with its namespace where that is known.
  const replicas = [...graph.all()].filter(({ id }) => names.has(id) || names.has(id.slice(id.lastIndexOf('/') + 1)));
  const own = replicas.flatMap(({ key }) => graph.machinesOf(key)).filter((machine) => all.has(machine));
  return own.length > 0 ? new Set(own) : undefined;
}

/** Whether an entity carries only replicas that did as before. */
export function isElsewhere(entity: number, place: Place, own = machinesOfReplicas(place)): boolean {
  if (!own) return false;
  const reached = place.graph.machinesBelow(entity);
  const carries = place.graph.machinesOfService(place.window.service).some((machine) => reached.has(machine));
  return carries && ![...own].some((machine) => reached.has(machine));
}
