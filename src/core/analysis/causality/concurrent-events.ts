import { bisectLeft } from '../../../base/bisect.ts';
import type { EventFact } from '../../store/facts/reader.ts';

/**
 * How long after an event another one may be recorded to count as concurrent, seconds; negative: before.
 * @param one stands for all events of its type with its clock uncertainty and recording delay
 * @param clocks_s by how much the clocks of both may differ
 */
export type Reach = (one: EventFact, clocks_s: number) => readonly [least_s: number, most_s: number];

/** Whether an event is within reach of another. */
export function isWithin(one: EventFact, event: EventFact, reach: Reach): boolean {
  const apart_s =
    one.source_id === event.source_id ? 0 : Number(one.clock_uncertainty_ns + event.clock_uncertainty_ns) / 1e9;
  const [least_s, most_s] = reach(one, apart_s);
  const after_s = Number(one.time_ns - event.time_ns) / 1e9;
  return after_s >= least_s && after_s <= most_s;
}

interface Rule<K> {
  /** What is counted. */
  keysOf(event: EventFact): Iterable<K>;
  /** Recording delay, seconds. */
  late_s(event: EventFact): number;
}

/** Events of one type, clock uncertainty and recording delay: a reach is the same for all. */
interface Alike {
  readonly events: EventFact[];
  /** Nanoseconds since the first of all events. */
  readonly time_ns: number[];
  /** Positions of the events of each data source. */
  readonly bySource: Map<number, number[]>;
  /** Positions of those that are counted. */
  counted: Range;
}

type Range = readonly [from: number, end: number];

interface Counted {
  readonly events: number;
  /** Different ones. */
  readonly keys: number;
}

/**
 * Counts what is concurrent with one event after another. The count moves along: what enters and what leaves is all that it
 * costs, so ten thousand simultaneous failures are not counted anew for each of them.
 */
export class ConcurrentEvents<K> {
  private readonly rule: Rule<K>;
  private readonly origin_ns: bigint;
  private readonly groups: readonly Alike[];
  private readonly places = new Map<EventFact, { readonly group: Alike; readonly position: number }>();
  private readonly counts = new Map<K, number>();
  private events = 0;

  /** @param events in order of time */
  constructor(events: readonly EventFact[], rule: Rule<K>) {
    this.rule = rule;
    this.origin_ns = events[0]?.time_ns ?? 0n;
    const groups = new Map<string, Alike>();
    for (const event of events) {
      const key = `${event.type} ${event.clock_uncertainty_ns} ${rule.late_s(event)}`;
      const group: Alike = groups.get(key) ?? { events: [], time_ns: [], bySource: new Map(), counted: [0, 0] };
      groups.set(key, group);
      const position = group.events.push(event) - 1;
      group.time_ns.push(Number(event.time_ns - this.origin_ns));
      this.places.set(event, { group, position });
      const positions = group.bySource.get(event.source_id);
      if (positions) positions.push(position);
      else group.bySource.set(event.source_id, [position]);
    }
    this.groups = [...groups.values()];
  }

  /**
   * Counts the events within reach of an event, itself included.
   * @param without events that do not count
   */
  around(event: EventFact, reach: Reach, without: Iterable<EventFact> = []): Counted {
    const uncounted = new Set(without);
    for (const group of this.groups) {
      const first = group.events[0]!;
      const own = group.bySource.get(event.source_id) ?? [];
      const apart_s = Number(first.clock_uncertainty_ns + event.clock_uncertainty_ns) / 1e9;
      const near = this.rangeOf(group, event, reach(first, 0));
      const isOneClock = own.length === group.events.length;
      const range = isOneClock ? near : this.rangeOf(group, event, reach(first, apart_s));
      this.move(group, range);
      // Events of the same data source have the same clock.
      for (const position of between(own, [range[0], near[0]])) uncounted.add(group.events[position]!);
      for (const position of between(own, [near[1], range[1]])) uncounted.add(group.events[position]!);
    }
    return this.countWithout(uncounted);
  }

  /** Whether a key was within the last reach, of events that count or not. */
  has(key: K): boolean {
    return this.counts.has(key);
  }

  private rangeOf({ time_ns }: Alike, event: EventFact, [least_s, most_s]: ReturnType<Reach>): Range {
    const at_ns = Number(event.time_ns - this.origin_ns);
    return [
      firstNot(time_ns, (one) => (one - at_ns) / 1e9 < least_s),
      firstNot(time_ns, (one) => (one - at_ns) / 1e9 <= most_s),
    ];
  }

  private move(group: Alike, to: Range): void {
    const [from, end] = group.counted;
    if (to[0] >= end || to[1] <= from) {
      this.count(group, group.counted, -1);
      this.count(group, to, 1);
    } else {
      this.count(group, [from, to[0]], -1);
      this.count(group, [to[1], end], -1);
      this.count(group, [to[0], from], 1);
      this.count(group, [end, to[1]], 1);
    }
    group.counted = to;
  }

  private count({ events }: Alike, [from, end]: Range, step: 1 | -1): void {
    for (let i = from; i < end; i++) {
      this.events += step;
      for (const key of this.rule.keysOf(events[i]!)) {
        const count = (this.counts.get(key) ?? 0) + step;
        if (count === 0) this.counts.delete(key);
        else this.counts.set(key, count);
      }
    }
  }

  private countWithout(uncounted: ReadonlySet<EventFact>): Counted {
    let events = this.events;
    const counts = new Map<K, number>();
    for (const event of uncounted) {
      const place = this.places.get(event);
      if (!place || place.position < place.group.counted[0] || place.position >= place.group.counted[1]) continue;
      events--;
      for (const key of this.rule.keysOf(event)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    let keys = this.counts.size;
    for (const [key, count] of counts) if (this.counts.get(key) === count) keys--;
    return { events, keys };
  }
}

/** Position of the first value that does not satisfy a condition that holds up to some value. */
function firstNot(values: readonly number[], holds: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(values[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Those of ascending positions that are in a range. */
function* between(positions: readonly number[], [from, end]: Range): Generator<number, void, undefined> {
  if (from >= end) return;
  for (let i = bisectLeft(positions, from); i < positions.length && positions[i]! < end; i++) yield positions[i]!;
}
