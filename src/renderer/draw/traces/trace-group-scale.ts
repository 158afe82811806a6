import { bisectRight } from '../../../base/bisect.ts';
import type { TraceGroup } from '../../../model/contract/index.ts';

/** A time in which no span of the trace group ran. */
export interface Idle {
  readonly from_ns: number;
  readonly until_ns: number;
}

/**
 * Idle times in ascending order. With starts and ends each sorted, nothing runs between an end and the next start if as many
 * spans had started as had ended. Most spans of a trace lie within their parent or root and cannot fill a gap, so they are
 * skipped.
 */
export function idleTimes(traceGroup: Pick<TraceGroup, 'start_ns' | 'end_ns' | 'parent'>): readonly Idle[] {
  const begun = new Float64Array(traceGroup.parent.length);
  const ended = new Float64Array(traceGroup.parent.length);
  let outer = 0;
  let root = 0;
  for (let span = 0; span < begun.length; span++) {
    const parent = traceGroup.parent[span]!;
    if (parent < 0) root = span;
    else if (isWithin(traceGroup, span, root) || isWithin(traceGroup, span, parent)) continue;
    begun[outer] = traceGroup.start_ns[span]!;
    ended[outer++] = traceGroup.end_ns[span]!;
  }
  const starts = begun.subarray(0, outer).sort();
  const ends = ended.subarray(0, outer).sort();
  const found: Idle[] = [];
  for (let at = 0; at + 1 < starts.length; at++) {
    const from_ns = ends[at]!;
    const until_ns = starts[at + 1]!;
    if (until_ns > from_ns) found.push({ from_ns, until_ns });
  }
  return found;
}

const isWithin = (
  { start_ns, end_ns }: Pick<TraceGroup, 'start_ns' | 'end_ns'>,
  span: number,
  other: number,
): boolean => start_ns[span]! >= start_ns[other]! && end_ns[span]! <= end_ns[other]!;

/** Maps times to places: time without the cut-out part of earlier idle times. Without idle times, places are times. */
export class Places {
  readonly idle: readonly Idle[];
  private readonly knots_ns: Float64Array;
  private readonly knots_at: Float64Array;
  readonly from: number;
  readonly until: number;

  /** @param shown drawn length of each idle time, in nanoseconds of busy time */
  constructor(extent: Extent, idle: readonly Idle[], shown: number) {
    this.idle = idle;
    const times = [extent.from_ns];
    const places = [extent.from_ns];
    for (const { from_ns, until_ns } of idle) {
      const before = places.at(-1)! + from_ns - times.at(-1)!;
      times.push(from_ns, until_ns);
      places.push(before, before + Math.min(shown, until_ns - from_ns));
    }
    this.knots_ns = Float64Array.from(times);
    this.knots_at = Float64Array.from(places);
    this.from = extent.from_ns;
    this.until = places.at(-1)! + Math.max(extent.until_ns - times.at(-1)!, 1);
  }

  of(ns: number): number {
    return through(this.knots_ns, this.knots_at, ns);
  }

  timeAt(place: number): number {
    return through(this.knots_at, this.knots_ns, place);
  }
}

/** Whether two of them map alike. */
export const isSameScale = (a: Places, b: Places): boolean =>
  a.from === b.from &&
  a.until === b.until &&
  a.idle.length === b.idle.length &&
  a.idle.every(({ from_ns, until_ns }, at) => from_ns === b.idle[at]!.from_ns && until_ns === b.idle[at]!.until_ns);

/** Linear between knots, with slope 1 outside them. */
function through(from: Float64Array, to: Float64Array, x: number): number {
  const at = Math.max(0, bisectRight(from, x) - 1);
  const [x0, y0] = [from[at]!, to[at]!];
  if (at + 1 >= from.length || x <= x0) return y0 + x - x0;
  const [x1, y1] = [from[at + 1]!, to[at + 1]!];
  return x1 === x0 ? y1 : y0 + ((x - x0) * (y1 - y0)) / (x1 - x0);
}

/** The visible part of a trace group, as places. */
export interface TraceGroupWindow {
  readonly from: number;
  readonly until: number;
}

export interface TraceGroupScale {
  readonly places: Places;
  readonly window: TraceGroupWindow;
  readonly width: number;
}

export const xOfTime = ({ places, window, width }: TraceGroupScale, ns: number): number =>
  ((places.of(ns) - window.from) * width) / (window.until - window.from);
export const timeAtX = ({ places, window, width }: TraceGroupScale, x: number): number =>
  places.timeAt(window.from + (x * (window.until - window.from)) / Math.max(width, 1));

interface Extent {
  readonly from_ns: number;
  readonly until_ns: number;
}

/** Total time in which any span ran. */
export const busyTime = ({ from_ns, until_ns }: Extent, idle: readonly Idle[]): number =>
  idle.reduce((left, one) => left - (one.until_ns - one.from_ns), until_ns - from_ns);

/** Idle times shorter than this share of the busy time are drawn to scale. */
const LEAST_SHARE = 0.08;
const SHOWN_SHARE = 0.06;
/** Of more, as many instants of a broken clock have, the longest are shortened: each is hatched and looked up for every tick. */
const MOST_SHORTENED = 64;

/**
 * @param idle all times in which no span ran
 * @param compress whether long idle times are shortened
 */
export function placesOf(extent: Extent, idle: readonly Idle[], compress: boolean): Places {
  const busy = busyTime(extent, idle);
  const lengthOf = ({ from_ns, until_ns }: Idle): number => until_ns - from_ns;
  const long = compress ? idle.filter((one) => lengthOf(one) > busy * LEAST_SHARE) : [];
  const longest = long.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST_SHORTENED);
  return new Places(
    extent,
    longest.sort((a, b) => a.from_ns - b.from_ns),
    Math.max(busy * SHOWN_SHARE, 1),
  );
}

const NARROWEST_NS = 100;

/** Keeps the window inside the trace group and above a minimum width. */
export function clampTraceGroupWindow(window: TraceGroupWindow, { from, until }: Places): TraceGroupWindow {
  const length = Math.min(Math.max(window.until - window.from, Math.min(NARROWEST_NS, until - from)), until - from);
  const start = Math.min(Math.max(window.from, from), until - length);
  return { from: start, until: start + length };
}

export function zoomTraceGroup(
  window: TraceGroupWindow,
  anchor: number,
  factor: number,
  places: Places,
): TraceGroupWindow {
  return clampTraceGroupWindow(
    { from: anchor - (anchor - window.from) * factor, until: anchor + (window.until - anchor) * factor },
    places,
  );
}

const STEPS = [1, 2, 5];

/** Round times after the start of the trace group, at least `apart` pixels apart and not inside a shortened idle time. */
export function traceGroupTicks(
  scale: TraceGroupScale,
  from_ns: number,
  apart = 90,
): readonly { readonly x: number; readonly after_ns: number }[] {
  const { places, window, width } = scale;
  const perPixel = (window.until - window.from) / Math.max(width, 1);
  const rough = perPixel * apart;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = (STEPS.find((one) => one * power >= rough) ?? 10) * power;
  const ticks: { x: number; after_ns: number }[] = [];
  let last = Number.NEGATIVE_INFINITY;
  const until = timeAtX(scale, width) - from_ns;
  for (let after = Math.ceil((timeAtX(scale, 0) - from_ns) / step) * step; after <= until; after += step) {
    const idle = places.idle.find((one) => from_ns + after > one.from_ns && from_ns + after < one.until_ns);
    if (idle) {
      // Continue with the first round time after it.
      after = Math.max(after, Math.floor((idle.until_ns - from_ns) / step) * step);
      if (from_ns + after < idle.until_ns) continue;
    }
    const x = xOfTime(scale, from_ns + after);
    if (x - last < apart * 0.6) continue;
    ticks.push({ x, after_ns: after });
    last = x;
  }
  return ticks;
}
