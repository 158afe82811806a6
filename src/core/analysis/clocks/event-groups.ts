import type { ClockFact, EventFact } from '../../store/facts/reader.ts';
import { clocks } from './parameters.ts';

/** Events of one type on one entity, as one source recorded them. */
export interface EventGroup {
  readonly source: number;
  readonly type: string;
  readonly entity: number;
  /** Seconds since the origin, ascending. */
  readonly time_s: readonly number[];
  readonly event_id: readonly number[];
  /** Each may have happened this many seconds before it was recorded. */
  readonly floor_s: readonly number[];
}

/** Event groups, and properties of each data source's timestamps. */
export interface GroupedEvents {
  readonly groups: readonly EventGroup[];
  readonly recorders: ReadonlyMap<number, Recorder>;
}
export interface Recorder {
  /** Times are truncated to multiples of this, in seconds; 0 when they are not. */
  readonly resolution_s: number;
  /** Length of its recording, in seconds. */
  readonly span_s: number;
}

/** Time resolutions of data sources, nanoseconds; coarser ones first. */
const GRIDS = [60_000_000_000n, 1_000_000_000n, 100_000_000n, 10_000_000n] as const;
/** A group while it is gathered; times are nanoseconds since the origin, which a double holds for 104 days. */
interface OpenGroup {
  readonly time_ns: number[];
  readonly event_id: number[];
}
/** One source's groups: fast lookup for a million events, without a key per event. */
interface OpenSource {
  readonly grid: Grid;
  readonly byType: Map<string, Map<number, OpenGroup>>;
}

/** @param floors seconds between samples, by event id, for events that samples show */
export function groupEvents(
  events: readonly EventFact[],
  sources: ReadonlyMap<number, ClockFact>,
  floors: ReadonlyMap<number, number>,
): GroupedEvents {
  const origin = events.reduce((first, { time_ns }) => (time_ns < first ? time_ns : first), events[0]?.time_ns ?? 0n);
  const open = new Map<number, OpenSource>();
  for (const { source_id } of sources.values()) open.set(source_id, { grid: new Grid(), byType: new Map() });
  for (const { event_id, source_id, time_ns, type, entity } of events) {
    const source = open.get(source_id);
    if (!source) continue;
    const since = Number(time_ns - origin);
    const fact = sources.get(source_id)!;
    // Samples follow their own schedule, which does not show the resolution of the clock.
    source.grid.add(since, floors.has(event_id) ? null : time_ns - fact.clock_offset_ns);
    if (entity < 0) continue;
    const groups = source.byType.get(type) ?? new Map<number, OpenGroup>();
    if (groups.size === 0) source.byType.set(type, groups);
    const group = groups.get(entity);
    if (group) {
      group.time_ns.push(since);
      group.event_id.push(event_id);
    } else groups.set(entity, { time_ns: [since], event_id: [event_id] });
  }
  const groups = [...open].flatMap(([source, { byType }]) =>
    [...byType].flatMap(([type, list]) =>
      [...list].map(([entity, group]) => close({ source, type, entity }, group, floors)),
    ),
  );
  return { groups: groups.sort(byIdentity), recorders: recordersOf(sources, open, origin) };
}

function close(
  identity: Pick<EventGroup, 'source' | 'type' | 'entity'>,
  { time_ns, event_id }: OpenGroup,
  floors: ReadonlyMap<number, number>,
): EventGroup {
  const time = (at: number): number => time_ns[at]!;
  const id = (at: number): number => event_id[at]!;
  const order = time_ns.map((_, at) => at).sort((a, b) => time(a) - time(b) || id(a) - id(b));
  const distinct = order.filter((at, i) => i === 0 || time(at) !== time(order[i - 1]!));
  const groups = distinct.length <= clocks.mostRepeats ? distinct : isolated(distinct, time);
  return {
    ...identity,
    time_s: groups.map((at) => time(at) / 1e9),
    event_id: groups.map(id),
    floor_s: groups.map((at) => floors.get(id(at)) ?? 0),
  };
}

function isolated(order: readonly number[], time: (at: number) => number): number[] {
  const quiet = order.map((at, i) => (i === 0 ? 0 : time(at) - time(order[i - 1]!)));
  const kept = quiet.map((_, i) => i).sort((a, b) => quiet[b]! - quiet[a]! || a - b);
  return kept
    .slice(0, clocks.mostRepeats)
    .sort((a, b) => a - b)
    .map((i) => order[i]!);
}

/** Finds the time resolution of a data source. */
class Grid {
  /** Nanoseconds since the origin. */
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  private level = 0;
  private readonly different = new Set<bigint>();

  add(since: number, recorded: bigint | null): void {
    if (since < this.first) this.first = since;
    if (since > this.last) this.last = since;
    if (recorded === null || this.level === GRIDS.length) return;
    if (this.different.size < clocks.resolutionTimes) this.different.add(recorded);
    while (this.level < GRIDS.length && recorded % (GRIDS[this.level] as bigint) !== 0n) this.level++;
  }

  resolution(): number {
    if (this.different.size < clocks.resolutionTimes) return 0;
    return Number(GRIDS[this.level] ?? 0n) / 1e9;
  }
}

function recordersOf(
  sources: ReadonlyMap<number, ClockFact>,
  open: ReadonlyMap<number, OpenSource>,
  origin: bigint,
): ReadonlyMap<number, Recorder> {
  return new Map(
    [...open].map(([id, { grid }]) => {
      const { first_ns, last_ns, clock_offset_ns } = sources.get(id)!;
      const since = (recorded: bigint): number => Number(recorded + clock_offset_ns - origin);
      const first = first_ns === null ? grid.first : Math.min(grid.first, since(first_ns));
      const last = last_ns === null ? grid.last : Math.max(grid.last, since(last_ns));
      return [id, { resolution_s: grid.resolution(), span_s: Math.max(1, (last - first) / 1e9) }];
    }),
  );
}

const byIdentity = (a: EventGroup, b: EventGroup): number =>
  a.source - b.source || a.entity - b.entity || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0);
