import { isQualified } from '../../../model/telemetry/event-details.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { memoryLimit } from '../evidence/open.ts';
import { began } from './began.ts';
import { hasUnknownCalls } from './impacted-services.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/** The kernel ended a process at the limit of its own container: the machine had memory left. */
export const isOwnLimit = (event: EventFact): boolean =>
  (event.type === 'out_of_memory' || event.type === 'pod_oom_killed') && isQualified(event, 'container_limit');

/** `Killed process 3120 (chat-api)` is of chat-api, and not of api. */
export const isOfProcess = (message: string, service: string): boolean => message.split(/[^\w.-]+/).includes(service);

/** Containers of the service, or of one behind it, that reached their memory limit near the onset: their software needs more than it was given. */
export function memoryLimitLines(context: IncidentContext): Line[] {
  const { graph, candidates } = context.input;
  const behind = context.once(servicesBehind);
  const reached = candidates.flatMap(({ event }) => {
    if (!isOwnLimit(event) || context.beforeOnset(event) >= ranking.nearSeconds) return [];
    const carried = graph.isSoftware(event.entity) ? graph.servicesOn(event.entity) : undefined;
    const service = behind.find(({ key, name }) => carried?.has(key) || isOfProcess(event.message, name))?.name;
    return service === undefined ? [] : [{ event, service }];
  });
  const [first] = reached;
  if (!first) return [];
  const own = reached.filter(({ service }) => service === first.service).map(({ event }) => event);
  const on = namesOf([...new Set(own.map(({ device_id }) => device_id))]);
  return [line(memoryLimit, 1, { service: first.service, on }, own.map(eventRef))];
}

/** The service itself, then those that it calls; where its calls were not recorded, those that degraded with it and what they call. */
function servicesBehind({ input }: IncidentContext): readonly { readonly key: number; readonly name: string }[] {
  const { window, graph, impacts } = input;
  const company = hasUnknownCalls(input) ? impacts.filter((one) => began(one, window)) : [];
  const first = [window.service, ...company.map(({ service }) => service)];
  const keys = new Set([...first, ...first.flatMap((service) => [...graph.calleesOf(service)])]);
  return [...keys].flatMap((key) => {
    const name = graph.node(key)?.id;
    return name === undefined ? [] : [{ key, name }];
  });
}
