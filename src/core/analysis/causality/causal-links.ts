import { nanoseconds } from '../../../model/time.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { TimeDoubts } from '../clocks/time-doubts.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { otherFeeds } from '../topology/named-feed.ts';
import { severityWeight } from './event-traits.ts';
import { inTime, type Mechanism, type Mechanisms } from './mechanisms.ts';
import { causality } from './parameters.ts';

/** Mechanisms, and uncertainty of times. */
interface Knowledge {
  readonly mechanisms: Mechanisms;
  readonly doubts: TimeDoubts;
}

export interface Link {
  readonly cause: EventFact;
  readonly effect: EventFact;
  readonly mechanism: Mechanism;
}

const NO_LINKS: readonly Link[] = [];

/** Probability that a cause of this type and severity brings about the effect, 0 to 1. */
export const linkConfidence = ({ cause, mechanism }: Link): number => mechanism.strength * severityWeight(cause);

/**
 * The first event of every run of repeats, in time order, over all names of the entity and all data sources. Events of
 * different severity are no repeats: a UPS self-test may come right before a mains loss. If one data source is in an assumed
 * time zone, the event of the other represents both.
 */
function withoutRepeats(events: readonly EventFact[], { supposedZone }: TimeDoubts): EventFact[] {
  const runs: EventFact[][] = [];
  const latest = new Map<string, EventFact[]>();
  const repeat = nanoseconds(causality.repeatSeconds);
  for (const event of events.toSorted(byTime)) {
    const subject = event.entity < 0 ? event.device_id : event.entity;
    const key = `${subject} ${event.type} ${event.details.xid ?? severityWeight(event)}`;
    const run = latest.get(key);
    const before = run?.at(-1);
    if (run && before && event.time_ns - before.time_ns <= repeat) run.push(event);
    else latest.set(key, runs[runs.push([event]) - 1]!);
  }
  const isSupposed = (event: EventFact): boolean => supposedZone(event) !== null;
  return runs.map((run) => run.find((event) => !isSupposed(event)) ?? run[0]!).sort(byTime);
}

/** Order of events. */
export const byTime = (a: EventFact, b: EventFact): number =>
  a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : a.event_id - b.event_id;

/**
 * Possible causal links by the mechanisms: type, relation and delay fit. An event has at most one
 * cause per mechanism and entity, the latest. Linear in the events, except for events of one entity and type.
 */
export class CausalLinks {
  readonly events: readonly EventFact[];
  private readonly causes = new Map<EventFact, Link[]>();
  private readonly effects = new Map<EventFact, Link[]>();

  constructor(events: readonly EventFact[], graph: EntityGraph, { mechanisms, doubts }: Knowledge) {
    this.events = withoutRepeats(events, doubts);
    const places = placesByType(this.events);
    for (const effect of this.events) {
      if (effect.entity < 0) continue;
      for (const mechanism of mechanisms.causesOf(effect.type)) {
        const at = places.get(mechanism.cause);
        if (at)
          for (const cause of matching(mechanism, effect, { at, graph, doubts }))
            this.add({ cause, effect, mechanism });
      }
    }
    this.limitToOrder();
  }

  causesOf = (event: EventFact): readonly Link[] => this.causes.get(event) ?? NO_LINKS;

  effectsOf = (event: EventFact): readonly Link[] => this.effects.get(event) ?? NO_LINKS;

  private add(link: Link): void {
    const known = this.causes.get(link.effect);
    // If two mechanisms link the same events, the stronger one counts.
    const same = known?.findIndex(({ cause }) => cause === link.cause) ?? -1;
    if (known && same >= 0) {
      if (known[same]!.mechanism.strength < link.mechanism.strength) known[same] = link;
      return;
    }
    if (known) known.push(link);
    else this.causes.set(link.effect, [link]);
    const effects = this.effects.get(link.cause);
    if (effects) effects.push(link);
    else this.effects.set(link.cause, [link]);
  }

  /** If either event may be the cause of the other, the earlier one is. */
  private limitToOrder(): void {
    const isReversed = ({ cause, effect }: Link): boolean =>
      byTime(cause, effect) > 0 && this.causesOf(cause).some((link) => link.cause === effect);
    const reversed = new Set([...this.causes.values()].flatMap((links) => links.filter(isReversed)));
    if (reversed.size === 0) return;
    for (const links of [this.causes, this.effects])
      for (const [event, list] of links)
        links.set(
          event,
          list.filter((link) => !reversed.has(link)),
        );
  }
}

type Places = ReadonlyMap<number, readonly EventFact[]>;

function placesByType(events: readonly EventFact[]): ReadonlyMap<string, Places> {
  const types = new Map<string, Map<number, EventFact[]>>();
  for (const event of events) {
    const places = types.get(event.type) ?? new Map<number, EventFact[]>();
    types.set(event.type, places);
    const at = places.get(event.entity);
    if (at) at.push(event);
    else places.set(event.entity, [event]);
  }
  return types;
}

interface Ground {
  readonly at: Places;
  readonly graph: EntityGraph;
  readonly doubts: TimeDoubts;
}

function* matching(
  mechanism: Mechanism,
  effect: EventFact,
  { at: places, graph, doubts }: Ground,
): Generator<EventFact, void, undefined> {
  const sources = graph.sourcesOf(effect.entity);
  const isOtherFeed = otherFeeds(effect, graph);
  const fewer = places.size < sources.size ? places.keys() : sources.keys();
  for (const place of fewer) {
    if (sources.get(place) !== mechanism.relation) continue;
    if (isOtherFeed?.(place)) continue;
    const found = places
      .get(place)
      ?.findLast((cause) => cause !== effect && inTime(mechanism.delay_s, { cause, effect }, doubts));
    if (found) yield found;
  }
}
