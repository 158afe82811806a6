import { bisectLeft } from '../../../base/bisect.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { causality } from '../causality/parameters.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { supposedFeed } from '../evidence/place.ts';
import type { EntityGraph, EntityNode } from '../topology/entity-graph.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/**
 * If the supplies of an entity are not all in the topology, it may share the supply of entities with the same fault at the
 * same time. Gaps are an exception: if as many entities elsewhere have one, a gap is no evidence on the supply.
 * @param bySource events by the entities above them in the topology, in time order
 * @returns the same with possible supplies added
 */
export function gapsIn(
  bySource: ReadonlyMap<number, readonly EventFact[]>,
  { input: { graph } }: IncidentContext,
): ReadonlyMap<number, readonly EventFact[]> {
  const troubleOf = ({ type, entity }: EventFact): string => `${type} ${graph.node(entity)?.kind}`;
  const events = [...new Set([...bySource.values()].flat())];
  const cutOff = Map.groupBy(
    events.filter(({ entity }) => graph.isCutOff(entity)),
    troubleOf,
  );
  const found = new Map<number, EventFact[]>();
  if (cutOff.size === 0) return found;
  for (const [source, own] of bySource) {
    const fed = own.filter(({ entity }) => graph.isFed(entity, source));
    const gaps = [...Map.groupBy(fed, troubleOf)].flatMap(([trouble, alike]) =>
      gapsWith(alike, cutOff.get(trouble) ?? [], { graph, below: graph.below(source) }),
    );
    if (gaps.length > 0) found.set(source, gaps);
  }
  return found;
}

interface Place {
  readonly graph: EntityGraph;
  readonly below: ReadonlySet<number>;
}

/** Unlinked entities that failed together with enough of these; none if they are as many. */
function gapsWith(alike: readonly EventFact[], cutOff: readonly EventFact[], { graph, below }: Place): EventFact[] {
  const others = timesOf(alike);
  const gaps: EventFact[] = [];
  for (const event of cutOff) {
    if (below.has(event.entity) || !areTogether(near(event, others), graph)) continue;
    gaps.push(event);
    if (gaps.length >= alike.length) return [];
  }
  return gaps;
}

/** Whether events are of several machines. */
function areTogether(events: Iterable<EventFact>, graph: EntityGraph): boolean {
  const machines = new Set<number>();
  for (const { entity } of events) {
    for (const machine of graph.machinesOf(entity)) machines.add(machine);
    if (machines.size >= causality.leastTogether) return true;
  }
  return false;
}

interface Others {
  readonly events: readonly EventFact[];
  readonly times_s: Float64Array;
  readonly unsure_s: number;
}

const secondsOf = (nanos: bigint): number => Number(nanos) / 1e9;

const timesOf = (events: readonly EventFact[]): Others => ({
  events,
  times_s: Float64Array.from(events, ({ time_ns }) => secondsOf(time_ns)),
  unsure_s: events.reduce((most, one) => Math.max(most, secondsOf(one.clock_uncertainty_ns)), 0),
});

/** Events at the time of an event, within clock uncertainty. */
function* near(event: EventFact, { events, times_s, unsure_s }: Others): Generator<EventFact, void, undefined> {
  const at_s = secondsOf(event.time_ns);
  const own_s = causality.togetherSeconds + secondsOf(event.clock_uncertainty_ns);
  for (let i = bisectLeft(times_s, at_s - own_s - unsure_s); i < events.length; i++) {
    const after_s = times_s[i]! - at_s;
    if (after_s > own_s + unsure_s) return;
    const one = events[i]!;
    const slack_s =
      one.source_id === event.source_id ? causality.togetherSeconds : own_s + secondsOf(one.clock_uncertainty_ns);
    if (Math.abs(after_s) <= slack_s) yield one;
  }
}

interface Shown {
  readonly effects: readonly EventFact[];
  readonly gaps: readonly EventFact[];
}

/** Share of a silent entity's effects that rests on supplies that are not in the topology. */
export function gapLines({ id }: EntityNode, { effects, gaps }: Shown): Line[] {
  const open = new Set(gaps);
  const supposed = effects.filter((effect) => open.has(effect));
  if (supposed.length === 0) return [];
  const devices = namesOf([...new Set(supposed.map(({ device_id }) => device_id))]);
  const parameters = { devices, events: supposed.length, source: id };
  return [
    line(supposedFeed, (ranking.supposedShare * supposed.length) / effects.length, parameters, supposed.map(eventRef)),
  ];
}
