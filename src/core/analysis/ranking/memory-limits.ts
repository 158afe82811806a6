import { isQualified } from '../../../model/telemetry/event-details.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { memoryLimit } from '../evidence/open.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/** The kernel ended a process at the limit of its own container: the machine had memory left. */
export const isOwnLimit = (event: EventFact): boolean =>
  (event.type === 'out_of_memory' || event.type === 'pod_oom_killed') && isQualified(event, 'container_limit');

/** `Killed process 3120 (chat-api)` is of chat-api, and not of api. */
const isOfProcess = (message: string, service: string): boolean => message.split(/[^\w.-]+/).includes(service);

/** Containers of the service that reached their memory limit near the onset: its software needs more than it was given. */
export function memoryLimitLines(context: IncidentContext): Line[] {
  const { service, graph, window, candidates } = context.input;
  const own = candidates.filter(({ event, relation }) => {
    if (relation !== 'mapped' || !isOwnLimit(event)) return false;
    const isOfService = graph.isSoftware(event.entity) && graph.servicesOn(event.entity).has(window.service);
    return (isOfService || isOfProcess(event.message, service)) && context.beforeOnset(event) < ranking.nearSeconds;
  });
  if (own.length === 0) return [];
  const on = namesOf([...new Set(own.map(({ event }) => event.device_id))]);
  return [
    line(
      memoryLimit,
      1,
      { service, on },
      own.map(({ event }) => eventRef(event)),
    ),
  ];
}
