import { type Nanos, nanos } from '../../model/time.ts';
import type { TimeWindow } from './focus-history.ts';

const SHORTEST_NS = 1_000;

/** Differences within one case are exact as doubles; only the edges are bigints. */
export const spanOf = (window: TimeWindow): number => Number(window.endNs - window.startNs);
export const plus = (time: Nanos, deltaNs: number): Nanos => nanos(time + BigInt(Math.round(deltaNs)));

export function makeWindow(startNs: Nanos, lengthNs: number): TimeWindow {
  return { startNs, endNs: plus(startNs, Math.max(SHORTEST_NS, lengthNs)) };
}

/** Limits a window: at least a microsecond, at most a little wider than the data, and overlapping it. */
export function clampWindow(window: TimeWindow, bounds: TimeWindow): TimeWindow {
  const widest = spanOf(bounds) * 1.5 + SHORTEST_NS;
  const length = Math.min(Math.max(spanOf(window), SHORTEST_NS), widest);
  const slack = length * 0.5;
  // One that is too wide keeps all of the data: its own start could leave the end out.
  const isTooWide = spanOf(window) > length;
  const offset = isTooWide ? (spanOf(bounds) - length) / 2 : Number(window.startNs - bounds.startNs);
  const last = spanOf(bounds) - length + slack;
  const start = Math.min(Math.max(offset, -slack), Math.max(last, -slack));
  return makeWindow(plus(bounds.startNs, start), length);
}

export function zoomAbout(window: TimeWindow, anchor: Nanos, factor: number): TimeWindow {
  const left = Number(anchor - window.startNs) * factor;
  return makeWindow(plus(anchor, -left), spanOf(window) * factor);
}

export const panBy = (window: TimeWindow, deltaNs: number): TimeWindow => ({
  startNs: plus(window.startNs, deltaNs),
  endNs: plus(window.endNs, deltaNs),
});

export const padWindow = (window: TimeWindow, fraction: number): TimeWindow => {
  const pad = spanOf(window) * fraction;
  return { startNs: plus(window.startNs, -pad), endNs: plus(window.endNs, pad) };
};
