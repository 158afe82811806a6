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

/** Times closer than this do not decide which of two was first: those of two clocks less than those of one. */
function doubt_ns(one: EventFact, other: EventFact): bigint {
  const near = nanoseconds(ranking.failedTogetherSeconds);
  return one.source_id === other.source_id ? near : near + one.clock_uncertainty_ns + other.clock_uncertainty_ns;
}

/** All ranks of a large job may end at once, so each event is compared with the first ones of each source alone. */
function followersIn(own: readonly EventFact[]): EventFact[] {
  const after = nanoseconds(ranking.failedAfterSeconds);
  const reasons = own.filter(({ type }) => stated.has(type));
  const sources = [...Map.groupBy(own, ({ source_id }) => source_id).values()].map((events) => ({ events, begin: 0 }));
  return own.filter((event) => {
    for (const source of sources)
      while (source.begin < source.events.length - 1 && source.events[source.begin]!.time_ns < event.time_ns - after)
        source.begin++;
    if (!withError.has(event.type)) return false;
    if (sources.some((source) => hasEarlier(source, event))) return true;
    return reasons.some((reason) => {
      const isNear =
        reason.time_ns >= event.time_ns - after && reason.time_ns <= event.time_ns + doubt_ns(reason, event);
      return isNear && reason.entity !== event.entity;
    });
  });
}

interface SourceEvents {
  /** In order of time. */
  readonly events: readonly EventFact[];
  /** Index of the first one that is late enough to count. */
  readonly begin: number;
}

/** Another one ended before it, whatever the clocks. */
function hasEarlier({ events, begin }: SourceEvents, event: EventFact): boolean {
  const after = nanoseconds(ranking.failedAfterSeconds);
  for (let i = begin; i < events.length; i++) {
    const other = events[i]!;
    if (other.time_ns >= event.time_ns - doubt_ns(other, event)) return false;
    if (other.time_ns >= event.time_ns - after && other.entity !== event.entity) return true;
  }
  return false;
}
