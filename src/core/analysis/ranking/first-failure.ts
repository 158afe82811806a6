import { readRankId } from '../../../model/rank-name.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { ranking } from './parameters.ts';

/** A process that another one took down ends with an error; these state why theirs ended. */
const stated: ReadonlySet<string> = new Set(['pod_oom_killed', 'pod_evicted', 'pod_preempted'] satisfies EventType[]);
const withError: ReadonlySet<string> = new Set(['rank_failed', 'pod_failed'] satisfies EventType[]);

/**
 * Ranks and pods that ended with an error because another rank of their job had ended: the others lose their peer, or their launcher ends
 * them. So the first one counts, and of those that are too close for clocks and whole seconds to order, the ones whose record states
 * why they ended.
 * @param events in order of time
 */
export function failedAfterOthers(events: readonly EventFact[], graph: EntityGraph): ReadonlySet<EventFact> {
  const ended = events.filter(({ type }) => stated.has(type) || withError.has(type));
  const byJob = Map.groupBy(ended, (event) => jobOf(event, graph));
  byJob.delete('');
  return new Set([...byJob.values()].flatMap(followersIn));
}

/** '': of no job. */
function jobOf({ entity }: EventFact, graph: EntityGraph): string {
  const node = graph.node(entity);
  if (node?.kind === 'rank') return readRankId(node.id)?.job ?? '';
  if (node?.kind !== 'pod') return '';
  return [...graph.servicesOn(entity)].map((key) => graph.node(key)).find((one) => one?.kind === 'job')?.id ?? '';
}

/** All ranks of a large job may end at once, so each event is compared with the first ones alone. */
function followersIn(own: readonly EventFact[]): EventFact[] {
  const near = nanoseconds(ranking.failedTogetherSeconds);
  const after = nanoseconds(ranking.failedAfterSeconds);
  const reasons = own.filter(({ type }) => stated.has(type));
  let begin = 0;
  return own.filter((event) => {
    while (own[begin]!.time_ns < event.time_ns - after) begin++;
    if (!withError.has(event.type)) return false;
    for (let i = begin; own[i]!.time_ns < event.time_ns - near; i++) if (own[i]!.entity !== event.entity) return true;
    return reasons.some(({ time_ns, entity }) => {
      const isNear = time_ns >= event.time_ns - after && time_ns <= event.time_ns + near;
      return isNear && entity !== event.entity;
    });
  });
}
