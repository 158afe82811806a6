import type { EventFact } from '../../store/facts/reader.ts';
import { together } from '../evidence/effects.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import type { IncidentContext } from '../ranking/incident-context.ts';
import { isHarmless } from './event-traits.ts';

/** What one source does to several things shows on them within seconds, a usual poll apart; of what is polled seldom, up to this much. */
const TOGETHER_S = 6;
const MOST_LATE_S = 30;

/**
 * The same trouble at the same moment on other things that hang on the same source: two strips do not sag by chance within a
 * second. It is their source that is to be suspected then, recorded or not, and none of them.
 */
export function commonSourceLines(event: EventFact, context: IncidentContext): Line[] {
  const { graph, mechanisms } = context.input;
  if (event.entity < 0 || mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) return [];
  const own = new Set([event.entity, ...graph.machinesOf(event.entity)]);
  const fedEntity = fedEntityOf(event.entity, own, context);
  return linesOf(sameElsewhere(event, fedEntity, context), fedEntity, context);
}

/** As {@link commonSourceLines}, of something that said nothing, by what shows on what hangs on it. */
export function commonSourceOfSilent(key: number, effects: readonly EventFact[], story: IncidentContext): Line[] {
  const { graph } = story.input;
  const shown = effects.flatMap(({ entity }) => [entity, ...graph.machinesOf(entity)]);
  const own = new Set([key, ...graph.below(key), ...graph.machinesBelow(key), ...shown]);
  const thing = fedEntityOf(key, own, story);
  const firsts = [...Map.groupBy(effects, ({ type }) => type).values()].map(([first]) => first!);
  const found = firsts.map((first) => {
    // What is beyond the last feed is the other feed: who is on that alone may only lack an entry.
    if (thing.isTop && graph.isFed(first.entity, key)) return [];
    // Another thing may be behind the effects than what is beyond the silent one: of a port it is one switch or the other.
    return sameElsewhere(first, { ...thing, sources: sourcesBeyond(first.entity, own, story) }, story);
  });
  return linesOf(
    found.reduce((most, one) => (one.length > most.length ? one : most), []),
    thing,
    story,
  );
}

function linesOf(others: readonly EventFact[], { isCut }: FedEntity, { input: { graph } }: IncidentContext): Line[] {
  const deviceIds = [...new Set(others.map(({ device_id }) => device_id))];
  const [first] = others;
  if (!first) return [];
  const isUnknown = isCut || others.some(({ entity }) => graph.isCutOff(entity));
  const parameters = { type: first.type, devices: namesOf(deviceIds), isUnknown };
  return [line(together, Math.log1p(deviceIds.length), parameters, others.map(eventRef))];
}

/** What may fail silently, and feeds or contains a thing without being part of it. */
function sourcesBeyond(
  key: number,
  own: ReadonlySet<number>,
  { input: { graph, mechanisms } }: IncidentContext,
): number[] {
  return [...graph.above(key)].filter((source) => {
    const node = graph.node(source);
    return !own.has(source) && node !== undefined && mechanisms.silentCause(node.kind) !== undefined;
  });
}

interface FedEntity {
  /** With all that belongs to it. */
  readonly own: ReadonlySet<number>;
  readonly sources: readonly number[];
  /** Nobody entered all that feeds it. */
  readonly isCut: boolean;
  /** There is nothing that could feed it. */
  readonly isTop: boolean;
}

const fedEntityOf = (key: number, own: ReadonlySet<number>, story: IncidentContext): FedEntity => {
  const sources = sourcesBeyond(key, own, story);
  const isCut = story.input.graph.isCutOff(key);
  return { own, sources, isCut, isTop: sources.length === 0 && !isCut };
};

function sameElsewhere(
  event: EventFact,
  { own, sources, isCut, isTop }: FedEntity,
  story: IncidentContext,
): EventFact[] {
  const { graph, doubts } = story.input;
  const slack = (one: EventFact): number => {
    const clocks =
      one.source_id === event.source_id ? 0 : Number(one.clock_uncertainty_ns + event.clock_uncertainty_ns) / 1e9;
    return Math.min(MOST_LATE_S, TOGETHER_S + clocks + Math.max(doubts.mayBeLate_s(one), doubts.mayBeLate_s(event)));
  };
  return story.eventsOfType(event.type).filter((one) => {
    if (one.entity < 0 || own.has(one.entity) || isHarmless(one) !== isHarmless(event)) return false;
    if (Math.abs(Number(one.time_ns - event.time_ns)) / 1e9 > slack(one)) return false;
    if (graph.machinesOf(one.entity).some((machine) => own.has(machine))) return false;
    if (hasCauseOfItsOwn(one, story)) return false;
    // What feeds one of them nobody entered: it may well be what feeds the other, or a thing that feeds all.
    const isUnknown = isCut || graph.isCutOff(one.entity);
    if (isUnknown && isTop) return false;
    if (sources.some((source) => graph.below(source).has(one.entity))) return true;
    return isUnknown && graph.node(one.entity)?.kind === graph.node(event.entity)?.kind;
  });
}

/** Whether something that was recorded on the same machine as an event is what brought it about, more likely than not. */
function hasCauseOfItsOwn(event: EventFact, story: IncidentContext): boolean {
  const { graph } = story.input;
  const own = new Set(graph.machinesOf(event.entity));
  return story.links
    .causesOf(event)
    .some((link) => graph.machinesOf(link.cause.entity).some((box) => own.has(box)) && story.belief(link) > 0.5);
}
