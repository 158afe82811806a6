import { eventStates } from '../../model/event-state.ts';
import type { EventType } from '../../model/event-type.ts';
import type { EventFact } from '../store/reader.ts';
import type { ImpactWindow } from './impact.ts';
import { median } from './statistics.ts';

/** What leaves a thing as it is until somebody mends it, and no state of its own tells: with what says that it was mended. */
const lastingBeside: Readonly<Partial<Record<EventType, readonly EventType[]>>> = {
  breaker_trip: ['voltage_restored', 'outlet_on', 'ups_restored'],
  ups_battery_low: ['ups_restored'],
  cooling_failure: ['coolant_flow_restored', 'temperature_restored', 'fan_restored'],
  gpu_lost: ['host_rebooted'],
};

/** By the type of what begins, the types that end it. */
const lasting: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...eventStates.flatMap(({ opens, closes }) => Object.keys(opens).map((type) => [type, Object.keys(closes)] as const)),
  ...Object.entries(lastingBeside),
]);

/** Two measurements of a service lie as far apart as usual, or within an hour: beyond that nobody measured it. */
const LONGEST_DOUBT_S = 3600;
const USUAL_INTERVALS = 3;

/**
 * Events that may still have had to do with a window when it began. Trouble may have begun right after the last normal
 * measurement, but where that is of another recording, months ago, what was over in a moment has been outlived since; what lasts
 * (a failed supply) has not, unless something recorded says that it was mended.
 *
 * @param slowest_s how long the consequences of something may take
 */
export function withoutOutlived(
  events: readonly EventFact[],
  window: ImpactWindow,
  slowest_s: number,
): readonly EventFact[] {
  const { onset_ns, onset_earliest_ns, measurements } = window;
  const doubt_s = Number(onset_ns - onset_earliest_ns) / 1e9;
  if (doubt_s <= LONGEST_DOUBT_S) return events;
  const most_s = Math.max(LONGEST_DOUBT_S, USUAL_INTERVALS * usualInterval(measurements.time_ns));
  if (doubt_s <= most_s) return events;
  const oldest_ns = onset_ns - BigInt(Math.round((most_s + slowest_s) * 1e9));
  const lastOf = new Map<string, bigint>();
  for (const event of events) if (event.time_ns <= onset_ns) lastOf.set(keyOf(event, event.type), event.time_ns);
  const lasted = (event: EventFact): boolean =>
    lasting.get(event.type)?.every((end) => (lastOf.get(keyOf(event, end)) ?? event.time_ns) <= event.time_ns) ?? false;
  return events.filter((event) => event.time_ns >= oldest_ns || lasted(event));
}

const keyOf = ({ entity, device_id }: EventFact, type: string): string => `${entity < 0 ? device_id : entity} ${type}`;

const usualInterval = (time_ns: readonly bigint[]): number =>
  median(time_ns.slice(1).map((time, i) => Number(time - (time_ns[i] as bigint)) / 1e9));
