import { Growing } from './growing.ts';

/** Slices of a trace in columns; an index is a slice's number. */
export class Slices {
  readonly start = new Growing(new Float64Array(0));
  /** Until it is known, the start. */
  readonly end = new Growing(new Float64Array(0));
  readonly track = new Growing(new Int32Array(0));
  /** -1: outermost. Asynchronous slices know theirs from the beginning; others get it by {@link nest}. */
  readonly parent = new Growing(new Int32Array(0));
  readonly root = new Growing(new Int32Array(0));
  readonly id = new Growing(new BigUint64Array(0));
  /** 1: asynchronous, so not nested by time. */
  readonly flight = new Growing(new Int32Array(0));

  add(slice: { start: number; end: number; track: number; id: bigint; flight: boolean; parent: number }): void {
    const { start, end, track, id, flight, parent } = slice;
    this.start.push(start);
    this.end.push(end);
    this.track.push(track);
    this.id.push(id);
    this.flight.push(flight ? 1 : 0);
    const index = this.parent.push(parent);
    this.root.push(parent >= 0 ? this.root.values[parent]! : index);
  }
}

/** Instants on threads, among them the ends of flows. */
export class Points {
  readonly time = new Growing(new Float64Array(0));
  readonly track = new Growing(new Int32Array(0));
  /** The innermost slice that is open at this time on this thread; -1: none. */
  readonly slice = new Growing(new Int32Array(0));

  add(time: number, track: number): number {
    this.time.push(time);
    this.track.push(track);
    return this.slice.push(-1);
  }
}

/** What rounding to microseconds, and doubles at today's epoch, may have moved an end by. */
const tolerance = (time: number): number => Math.max(0.001, Math.abs(time) * 2 ** -51);

/** Slices that overlap instead of nesting bury others; a file full of them must not be searched for ever. */
const MAX_SEARCH = 2_000;

/** Finds for every slice the one around it on its thread, and for every point the innermost around it. */
export function nest(slices: Slices, points: Points): void {
  const { length } = slices.start;
  const start = slices.start.values;
  const end = slices.end.values;
  const track = slices.track.values;
  const flight = slices.flight.values;
  const order = new Int32Array(length);
  let threaded = 0;
  for (let i = 0; i < length; i++) if (flight[i] === 0) order[threaded++] = i;
  const sorted = order.subarray(0, threaded).sort(
    (a, b) =>
      track[a]! - track[b]! ||
      start[a]! - start[b]! ||
      // Of two that begin together the longer one is around the other; of equal ones the first.
      end[b]! - end[a]! ||
      a - b,
  );
  const times = points.time.values;
  const places = points.track.values;
  const pointOrder = Int32Array.from({ length: points.time.length }, (_, i) => i).sort(
    (a, b) => places[a]! - places[b]! || times[a]! - times[b]! || a - b,
  );
  const sweep = new Sweep(slices);
  let next = 0;
  for (const point of pointOrder) {
    const place = places[point]!;
    const time = times[point]!;
    for (; next < threaded; next++) {
      const slice = sorted[next]!;
      const behind = track[slice]! - place;
      if (behind > 0 || (behind === 0 && start[slice]! > time)) break;
      sweep.enter(slice);
    }
    points.slice.values[point] = sweep.innermost(place, time);
  }
  for (; next < threaded; next++) sweep.enter(sorted[next]!);
}

/** Walks through slices in the order of their beginning and keeps those that are open. */
class Sweep {
  private readonly slices: Slices;
  private open: number[] = [];
  private track = -1;
  /** Ids of the slices that begin and end exactly with the last one: equal records must not become one span. */
  private readonly twins = new Set<bigint>();
  private last = -1;

  constructor(slices: Slices) {
    this.slices = slices;
  }

  enter(slice: number): void {
    const { start, end, track, parent, root } = this.slices;
    const from = start.values[slice]!;
    const to = end.values[slice]!;
    this.moveTo(track.values[slice]!);
    this.distinguish(slice);
    // Zero-length slices stay open for others of the same instant, but hold none.
    while (this.open.length > 0 && end.values[this.open.at(-1)!]! <= from && from < to) this.open.pop();
    const around = this.find((ends) => ends + tolerance(ends) >= to && ends > from);
    parent.values[slice] = around;
    root.values[slice] = around < 0 ? slice : root.values[around]!;
    this.open.push(slice);
  }

  innermost(track: number, time: number): number {
    return track === this.track ? this.find((ends) => ends >= time) : -1;
  }

  /** The innermost open slice whose end fits; -1: none. */
  private find(fits: (end: number) => boolean): number {
    for (let i = this.open.length - 1; i >= Math.max(0, this.open.length - MAX_SEARCH); i--) {
      const one = this.open[i]!;
      if (fits(this.slices.end.values[one]!)) return one;
    }
    return -1;
  }

  private moveTo(track: number): void {
    if (track === this.track) return;
    this.track = track;
    this.open = [];
    this.last = -1;
  }

  private distinguish(slice: number): void {
    const { start, end, id } = this.slices;
    const same =
      this.last >= 0 && start.values[slice] === start.values[this.last] && end.values[slice] === end.values[this.last];
    if (!same) this.twins.clear();
    this.last = slice;
    let own = id.values[slice]!;
    while (this.twins.has(own)) own = BigInt.asUintN(64, own + 1n) || 1n;
    this.twins.add(own);
    id.values[slice] = own;
  }
}
