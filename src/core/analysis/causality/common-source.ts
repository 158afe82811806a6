import type { EventFact } from '../../store/facts/reader.ts';
import { together } from '../evidence/effects.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { namesOf } from '../evidence/words.ts';
import type { Story } from '../ranking/situation.ts';
import { isHarmless } from './event-nature.ts';

/** What one source does to several things shows on them within seconds, a usual poll apart; of what is polled seldom, up to this much. */
const TOGETHER_S = 6;
const MOST_LATE_S = 30;

/**
 * The same trouble at the same moment on other things that hang on the same source: two strips do not sag by chance within a
 * second. It is their source that is to be suspected then, recorded or not, and none of them.
 */
export function commonSourceLines(event: EventFact, story: Story): Line[] {
  const { graph, mechanisms } = story.situation;
  if (event.entity < 0 || mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) return [];
  const own = new Set([event.entity, ...graph.boxesOf(event.entity)]);
  const thing = thingOf(event.entity, own, story);
  return linesOf(sameElsewhere(event, thing, story), thing, story);
}

/** As {@link commonSourceLines}, of something that said nothing, by what shows on what hangs on it. */
export function commonSourceOfSilent(key: number, effects: readonly EventFact[], story: Story): Line[] {
  const { graph } = story.situation;
  const shown = effects.flatMap(({ entity }) => [entity, ...graph.boxesOf(entity)]);
  const own = new Set([key, ...graph.below(key), ...graph.boxesBelow(key), ...shown]);
  const thing = thingOf(key, own, story);
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

function linesOf(others: readonly EventFact[], { isCut }: Thing, { situation: { graph } }: Story): Line[] {
  const things = [...new Set(others.map(({ device_id }) => device_id))];
  const [first] = others;
  if (!first) return [];
  const isUnknown = isCut || others.some(({ entity }) => graph.isCutOff(entity));
  const parameters = { type: first.type, devices: namesOf(things), isUnknown };
  return [line(together, Math.log1p(things.length), parameters, others.map(eventRef))];
}

/** What may fail silently, and feeds or contains a thing without being part of it. */
function sourcesBeyond(key: number, own: ReadonlySet<number>, { situation: { graph, mechanisms } }: Story): number[] {
  return [...graph.above(key)].filter((source) => {
    const node = graph.node(source);
    return !own.has(source) && node !== undefined && mechanisms.silentCause(node.kind) !== undefined;
  });
}

interface Thing {
  /** With all that belongs to it. */
  readonly own: ReadonlySet<number>;
  readonly sources: readonly number[];
  /** Nobody entered all that feeds it. */
  readonly isCut: boolean;
  /** There is nothing that could feed it. */
  readonly isTop: boolean;
}

const thingOf = (key: number, own: ReadonlySet<number>, story: Story): Thing => {
  const sources = sourcesBeyond(key, own, story);
  const isCut = story.situation.graph.isCutOff(key);
  return { own, sources, isCut, isTop: sources.length === 0 && !isCut };
};

function sameElsewhere(event: EventFact, { own, sources, isCut, isTop }: Thing, story: Story): EventFact[] {
  const { graph, doubts } = story.situation;
  const slack = (one: EventFact): number => {
    const clocks =
      one.source_id === event.source_id ? 0 : Number(one.clock_uncertainty_ns + event.clock_uncertainty_ns) / 1e9;
    return Math.min(MOST_LATE_S, TOGETHER_S + clocks + Math.max(doubts.mayBeLate_s(one), doubts.mayBeLate_s(event)));
  };
  return story.toldOfType(event.type).filter((one) => {
    if (one.entity < 0 || own.has(one.entity) || isHarmless(one) !== isHarmless(event)) return false;
    if (Math.abs(Number(one.time_ns - event.time_ns)) / 1e9 > slack(one)) return false;
    if (graph.boxesOf(one.entity).some((box) => own.has(box))) return false;
    if (hasCauseOfItsOwn(one, story)) return false;
    // What feeds one of them nobody entered: it may well be what feeds the other, or a thing that feeds all.
    const isUnknown = isCut || graph.isCutOff(one.entity);
    if (isUnknown && isTop) return false;
    if (sources.some((source) => graph.below(source).has(one.entity))) return true;
    return isUnknown && graph.node(one.entity)?.kind === graph.node(event.entity)?.kind;
  });
}

/** Whether something that was recorded on the same machine as an event is what brought it about, more likely than not. */
function hasCauseOfItsOwn(event: EventFact, story: Story): boolean {
  const { graph } = story.situation;
  const own = new Set(graph.boxesOf(event.entity));
  return story.links
    .causesOf(event)
    .some((link) => graph.boxesOf(link.cause.entity).some((box) => own.has(box)) && story.belief(link) > 0.5);
}
