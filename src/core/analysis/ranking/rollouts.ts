import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { isQualified } from '../../../model/telemetry/event-details.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { rollout } from '../evidence/open.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/** After these, a container of the same pod starts again. */
const restarting: ReadonlySet<string> = new Set<EventType>(['pod_failed', 'pod_oom_killed']);

/** After these, the same version of a pod starts again, there or elsewhere. */
const replacing: ReadonlySet<string> = new Set<EventType>([
  'pod_evicted',
  'pod_preempted',
  'pod_oom_killed',
  'out_of_memory',
  'node_not_ready',
  'node_draining',
  'node_drained',
  'host_rebooted',
  'host_degradation',
]);

/** A software change right before: orchestrator events on pods of the service or of a callee. */
export function rolloutLines(context: IncidentContext): Line[] {
  const { graph, nearby } = context.input;
  const near = nearby.filter((event) => {
    if (!graph.isSoftware(event.entity) || !isQualified(event, 'rollout')) return false;
    const lag = context.lagOf(event);
    const relation = context.relationOf(event);
    // A batch pod on the machine of a callee also reaches the service, but is not its software.
    const isService = graph.node(event.entity)?.kind === 'service';
    const isCallee = relation === 'caller' && (isService || graph.servicesOn(event.entity).size > 0);
    return lag >= -ranking.rolloutLateSeconds && lag <= ranking.rolloutSeconds && (relation === 'mapped' || isCallee);
  });
  const losses = near.length === 0 ? [] : nearby.filter(({ type }) => replacing.has(type) || restarting.has(type));
  const changes = near.filter((event) => !isReplacement(event, losses, graph));
  const last = changes.at(-1);
  if (!last) return [];
  const gap = Math.max(ranking.rolloutNearSeconds, context.lagOf(last));
  // Pods are replaced one after the other, some of them when the first are degraded already.
  const before = changes.findLast((event) => context.lagOf(event) >= 0);
  const { device_id: on, message } = before ?? last;
  const parameters = { on, message, isAfter: before === undefined };
  return [line(rollout, ranking.rolloutNearSeconds / gap, parameters, changes.map(eventRef))];
}

/** It failed itself, or a pod of its service lost its place or machine, shortly before: it started again unchanged. */
function isReplacement(event: EventFact, losses: readonly EventFact[], graph: EntityGraph): boolean {
  // A new set of replicas is a new version, whatever else happened.
  if (event.details.replica_set !== undefined) return false;
  const services = graph.servicesOn(event.entity);
  const longest = nanoseconds(ranking.rolloutSeconds);
  return losses.some(
    (other) =>
      (other.entity === event.entity ? restarting : replacing).has(other.type) &&
      other.time_ns <= event.time_ns + other.clock_uncertainty_ns + event.clock_uncertainty_ns &&
      event.time_ns - other.time_ns <= longest &&
      [...graph.servicesOn(other.entity)].some((service) => services.has(service)),
  );
}
