import type { ClockFact, EventFact } from '../../store/reader.ts';

/** Events of one type on one entity, as one source recorded them. */
export interface EventGroup {
  readonly source: number;
  readonly type: string;
  readonly entity: number;
  /** Seconds since the origin, ascending. */
  readonly time_s: readonly number[];
  readonly event_id: readonly number[];
  /** Each may have happened this many seconds before it was seen. */
  readonly floor_s: readonly number[];
}

/** Groups, and what is known of each source's way to write times. */
export interface GroupedEvents {
  readonly origin_ns: bigint;
  readonly groups: readonly EventGroup[];
  readonly recorders: ReadonlyMap<number, Recorder>;
}
export interface Recorder {
  /** Times are cut to multiples of this, in seconds; 0 when they are not. */
  readonly resolution_s: number;
  /** How long it watched, in seconds. */
  readonly span_s: number;
}

/** Of a thing that repeats, this many events; those after the longest quiet, which any recorder would pick alike. */
const MOST_REPEATS = 32;
/** Grids that recorders write times in, nanoseconds; coarser ones first. */
const GRIDS = [60_000_000_000n, 1_000_000_000n, 100_000_000n, 10_000_000n] as const;
/** Different times that must lie on a grid before it is believed: by chance, one of ten would lie on the finest. */
const GRID_TIMES = 4;

interface OpenGroup {
  readonly source: number;
  readonly type: string;
  readonly entity: number;
  readonly events: EventFact[];
}

/** @param floors seconds between samples, by event id, for events that samples show */
export function groupEvents(
  events: readonly EventFact[],
  sources: ReadonlyMap<number, ClockFact>,
  floors: ReadonlyMap<number, number>,
): GroupedEvents {
  let origin_ns: bigint | undefined;
  const open = new Map<string, OpenGroup>();
  const grids = new Map<number, Grid>();
  for (const event of events) {
    const source = sources.get(event.source_id);
    if (!source) continue;
    if (origin_ns === undefined || event.time_ns < origin_ns) origin_ns = event.time_ns;
    const grid = grids.get(source.source_id) ?? new Grid(source.clock_offset_ns);
    grids.set(source.source_id, grid);
    grid.add(event.time_ns, floors.has(event.event_id));
    if (event.entity < 0) continue;
    const key = `${event.source_id} ${event.entity} ${event.type}`;
    const group = open.get(key);
    if (group) group.events.push(event);
    else open.set(key, { source: event.source_id, type: event.type, entity: event.entity, events: [event] });
  }
  const origin = origin_ns ?? 0n;
  const groups = [...open.values()].map((group) => close(group, origin, floors));
  return { origin_ns: origin, groups: groups.sort(byIdentity), recorders: recordersOf(sources, grids) };
}

function close({ events, ...identity }: OpenGroup, origin: bigint, floors: ReadonlyMap<number, number>): EventGroup {
  const sorted = events.sort((a, b) => compare(a.time_ns, b.time_ns) || a.event_id - b.event_id);
  const distinct = sorted.filter((event, i) => i === 0 || event.time_ns !== sorted[i - 1]?.time_ns);
  const kept = isolated(distinct);
  return {
    ...identity,
    time_s: kept.map(({ time_ns }) => Number(time_ns - origin) / 1e9),
    event_id: kept.map(({ event_id }) => event_id),
    floor_s: kept.map(({ event_id }) => floors.get(event_id) ?? 0),
  };
}

function isolated(events: readonly EventFact[]): readonly EventFact[] {
  if (events.length <= MOST_REPEATS) return events;
  const quiet = events.map((event, i) => ({
    i,
    gap: i === 0 ? 0n : event.time_ns - (events[i - 1] as EventFact).time_ns,
  }));
  const kept = quiet.sort((a, b) => compare(b.gap, a.gap) || a.i - b.i).slice(0, MOST_REPEATS);
  return kept.sort((a, b) => a.i - b.i).map(({ i }) => events[i] as EventFact);
}

/** Looks for the grid that all recorded times of a source lie on. */
class Grid {
  first: bigint | undefined;
  last: bigint | undefined;
  private readonly offset: bigint;
  private level = 0;
  private readonly different = new Set<bigint>();

  constructor(offset: bigint) {
    this.offset = offset;
  }

  add(time_ns: bigint, sampled: boolean): void {
    const recorded = time_ns - this.offset;
    if (this.first === undefined || recorded < this.first) this.first = recorded;
    if (this.last === undefined || recorded > this.last) this.last = recorded;
    // Samples lie on whatever schedule they are taken by, which says nothing about the clock's digits.
    if (sampled) return;
    if (this.different.size < GRID_TIMES) this.different.add(recorded);
    while (this.level < GRIDS.length && recorded % (GRIDS[this.level] as bigint) !== 0n) this.level++;
  }

  resolution(): number {
    if (this.different.size < GRID_TIMES) return 0;
    return Number(GRIDS[this.level] ?? 0n) / 1e9;
  }
}

function recordersOf(
  sources: ReadonlyMap<number, ClockFact>,
  grids: ReadonlyMap<number, Grid>,
): ReadonlyMap<number, Recorder> {
  return new Map(
    [...grids].map(([id, grid]) => {
      const source = sources.get(id);
      const first = least(source?.first_ns, grid.first);
      const last = most(source?.last_ns, grid.last);
      return [id, { resolution_s: grid.resolution(), span_s: Math.max(1, Number(last - first) / 1e9) }];
    }),
  );
}

const least = (a: bigint | null | undefined, b: bigint | undefined): bigint => {
  const given = [a, b].filter((time) => time !== null && time !== undefined);
  return given.reduce((x, y) => (y < x ? y : x), given[0] ?? 0n);
};
const most = (a: bigint | null | undefined, b: bigint | undefined): bigint => {
  const given = [a, b].filter((time) => time !== null && time !== undefined);
  return given.reduce((x, y) => (y > x ? y : x), given[0] ?? 0n);
};

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const byIdentity = (a: EventGroup, b: EventGroup): number =>
  a.source - b.source || a.entity - b.entity || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0);
