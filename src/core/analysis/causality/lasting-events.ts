import { eventEntry, eventStates, eventTypes } from '../../../model/telemetry/event-catalog.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { isUnseen, type Onset } from '../impact/onset.ts';

/** By the type of what begins, the types that end it. */
const lasting: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...eventStates.flatMap(({ opens, closes }) => Object.keys(opens).map((type) => [type, Object.keys(closes)] as const)),
  ...eventTypes.flatMap((type) => {
    const ends = eventEntry(type)?.endedBy;
    return ends ? [[type, ends] as const] : [];
  }),
]);

/** By the type that says that something is over, the types that say that it began. */
export const openers: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(
  eventStates.flatMap(({ opens, closes }) => Object.keys(closes).map((type) => [type, Object.keys(opens)] as const)),
);

/** Whether what an event tells stays until something else ends it. */
export const mayLast = ({ type }: EventFact): boolean => lasting.has(type);

/**
 * From when on trouble that an event brought about may have begun. Where nobody saw it begin, what lasts may have been at it since
 * the last measurement, and what was over in a moment no longer than measurements leave open.
 */
export const mayBeginFrom = (event: EventFact, { previous_ns, causes_from_ns }: Onset): bigint =>
  mayLast(event) ? previous_ns : causes_from_ns;

/**
 * Events that may still have had to do with a window when it began. Trouble may have begun right after the last
 * measurement, but where that is of another recording, months ago, what was over in a moment has been outlived since; what lasts
 * (a failed supply) has not, unless something recorded says that it was mended.
 *
 * @param slowest_s how long the consequences of something may take
 */
export function withoutEnded(events: readonly EventFact[], window: Onset, slowest_s: number): readonly EventFact[] {
  if (!isUnseen(window)) return events;
  const { onset_ns, causes_from_ns } = window;
  const oldest_ns = causes_from_ns - BigInt(Math.round(slowest_s * 1e9));
  const lastOf = new Map<string, bigint>();
  for (const event of events) if (event.time_ns <= onset_ns) lastOf.set(keyOf(event, event.type), event.time_ns);
  const lasted = (event: EventFact): boolean =>
    lasting.get(event.type)?.every((end) => (lastOf.get(keyOf(event, end)) ?? event.time_ns) <= event.time_ns) ?? false;
  return events.filter((event) => event.time_ns >= oldest_ns || lasted(event));
}

const keyOf = ({ entity, device_id }: EventFact, type: string): string => `${entity < 0 ? device_id : entity} ${type}`;
