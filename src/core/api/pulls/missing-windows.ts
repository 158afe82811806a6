import type { TimeWindow } from '../../../model/storage/archive.ts';

/** The window widened to multiples of `grain_ns`, but not beyond `settled_ns`. */
export function onGrain({ from_ns, until_ns }: TimeWindow, grain_ns: bigint, settled_ns: bigint): TimeWindow {
  const down = (time: bigint): bigint => time - (((time % grain_ns) + grain_ns) % grain_ns);
  const widened = down(until_ns + grain_ns - 1n);
  return { from_ns: down(from_ns), until_ns: widened <= settled_ns ? widened : down(settled_ns) };
}

/** What of a window none of the others covers, in order of time. */
export function missingWindows(window: TimeWindow, present: readonly TimeWindow[]): TimeWindow[] {
  const missing: TimeWindow[] = [];
  let { from_ns } = window;
  const inOrder = present.toSorted((one, other) => (one.from_ns < other.from_ns ? -1 : 1));
  for (const { from_ns: start, until_ns: end } of inOrder) {
    if (end <= from_ns) continue;
    if (start >= window.until_ns) break;
    if (start > from_ns) missing.push({ from_ns, until_ns: start });
    from_ns = end;
  }
  if (from_ns < window.until_ns) missing.push({ from_ns, until_ns: window.until_ns });
  return missing;
}

/** A window in equal parts of at most `longest_ns`, cut at multiples of `grain_ns`. */
export function slicesOf({ from_ns, until_ns }: TimeWindow, longest_ns: bigint, grain_ns: bigint): TimeWindow[] {
  const length = until_ns - from_ns;
  const parts = (length + longest_ns - 1n) / longest_ns;
  const whole = length / parts;
  const slice_ns = whole < grain_ns ? grain_ns : whole - (whole % grain_ns);
  const slices: TimeWindow[] = [];
  for (let at = from_ns; at < until_ns; at += slice_ns) {
    const end = at + slice_ns;
    slices.push({ from_ns: at, until_ns: end < until_ns ? end : until_ns });
  }
  return slices;
}
