import type { EventFact } from '../store/reader.ts';
import { words } from './contrast.ts';
import { eventRef, type Line, line, listed } from './hypothesis-line.ts';
import type { Story } from './situation.ts';

/** What one source does to several things shows on them within seconds; what is polled shows late, up to this much. */
const TOGETHER_S = 5;
const MOST_LATE_S = 30;

/**
 * The same trouble at the same moment on other things that hang on the same source: two strips do not sag by chance within a
 * second. It is their source that is to be suspected then, recorded or not, and none of them.
 */
export function commonSourceLines(event: EventFact, story: Story): Line[] {
  const { graph, mechanisms, doubts } = story.situation;
  if (event.entity < 0 || mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) return [];
  const own = new Set([event.entity, ...graph.boxesOf(event.entity)]);
  const sources = [...graph.above(event.entity)].filter((source) => {
    const node = graph.node(source);
    return !own.has(source) && node && mechanisms.silentCause(node.kind) !== undefined;
  });
  if (sources.length === 0) return [];
  const slack = (one: EventFact): number => {
    const clocks =
      one.source_id === event.source_id ? 0 : Number(one.clock_uncertainty_ns + event.clock_uncertainty_ns) / 1e9;
    return Math.min(MOST_LATE_S, TOGETHER_S + clocks + Math.max(doubts.seenLate_s(one), doubts.seenLate_s(event)));
  };
  const others = story.toldOfType(event.type).filter((one) => {
    if (one.entity < 0 || own.has(one.entity)) return false;
    if (Math.abs(Number(one.time_ns - event.time_ns)) / 1e9 > slack(one)) return false;
    if (graph.boxesOf(one.entity).some((box) => own.has(box))) return false;
    return sources.some((source) => graph.below(source).has(one.entity));
  });
  const things = [...new Set(others.map(({ device_id }) => device_id))];
  if (things.length === 0) return [];
  const text = `${words(event.type)} at the same moment on ${listed(things)}, behind the same source`;
  return [line('together', Math.log1p(things.length), text, others.map(eventRef))];
}
