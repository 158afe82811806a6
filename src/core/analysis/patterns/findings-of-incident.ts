import { nanoseconds } from '../../../model/time.ts';
import type { Conclusion } from '../conclude.ts';
import { patterns } from './parameters.ts';
import type { Finding } from './pattern.ts';

/**
 * Findings of an incident: they rest on an event of its chain, or overlap it in time and are about its service or the
 * infrastructure of it.
 */
export function findingsOfIncident({ window, chain, graph }: Conclusion, findings: readonly Finding[]): Finding[] {
  const chained = new Set(chain.members.map(({ event }) => `event:${event.event_id}`));
  const isNear = ({ view: { start_ns, end_ns } }: Finding): boolean =>
    start_ns <= window.end_ns && end_ns >= window.causes_from_ns - nanoseconds(patterns.beforeImpactSeconds);
  return findings.filter(
    (one) =>
      one.view.evidence.some(({ refs }) => refs.some((ref) => chained.has(ref))) ||
      (isNear(one) && one.entities.some((entity) => graph.relation(entity, window.service) === 'mapped')),
  );
}
