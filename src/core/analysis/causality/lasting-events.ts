import { eventEntry, eventStates, eventTypes } from '../../../model/telemetry/event-catalog.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { isUnseen, type Onset } from '../impact/onset.ts';

/** Types that end a state, by the type that begins it. */
const lasting: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...eventStates.flatMap(({ opens, closes }) => Object.keys(opens).map((type) => [type, Object.keys(closes)] as const)),
  ...eventTypes.flatMap((type) => {
    const ends = eventEntry(type)?.endedBy;
    return ends ? [[type, ends] as const] : [];
  }),
]);

/** Types that begin a state, by the type that ends it. */
export const openers: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(
  eventStates.flatMap(({ opens, closes }) => Object.keys(closes).map((type) => [type, Object.keys(opens)] as const)),
);

/** Whether an event begins a state that lasts until another event ends it. */
export const mayLast = ({ type }: EventFact): boolean => lasting.has(type);

/**
 * Earliest onset of an impact by an event. If the onset was not measured, a lasting state may have caused it since the last
 * measurement, and a short event within the usual measurement interval.
 */
export const mayBeginFrom = (event: EventFact, { previous_ns, causes_from_ns }: Onset): bigint =>
  mayLast(event) ? previous_ns : causes_from_ns;

/**
 * Events that may still be related to a window at its start. The impact may have begun right after the last measurement. If
 * that belongs to another recording, months ago, a short event is too old, but a lasting one (a failed PSU) is not, unless a
 * repair was recorded.
 *
 * @param slowest_s maximum delay of effects
 */
export function withoutEnded(events: readonly EventFact[], window: Onset, slowest_s: number): readonly EventFact[] {
  if (!isUnseen(window)) return events;
  const { onset_ns, causes_from_ns } = window;
  const oldest_ns = causes_from_ns - nanoseconds(slowest_s);
  const lastOf = new Map<string, bigint>();
  for (const event of events) if (event.time_ns <= onset_ns) lastOf.set(keyOf(event, event.type), event.time_ns);
  const lasted = (event: EventFact): boolean =>
    lasting.get(event.type)?.every((end) => (lastOf.get(keyOf(event, end)) ?? event.time_ns) <= event.time_ns) ?? false;
  return events.filter((event) => event.time_ns >= oldest_ns || lasted(event));
}

const keyOf = ({ entity, device_id }: EventFact, type: string): string => `${entity < 0 ? device_id : entity} ${type}`;
