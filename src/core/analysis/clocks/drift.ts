import { median } from '../statistics.ts';
import { clocks } from './parameters.ts';
import type { Vote } from './shift-votes.ts';

export interface Drift {
  /** Change of the correction per second of time. */
  readonly slope: number;
  /** Seconds from the middle of the pairs to the first or last of them. */
  readonly half_span_s: number;
}

/** @param sign 1 where the source is the first of the votes' link */
export function driftOf(votes: readonly Vote[], sign: 1 | -1): Drift | null {
  if (votes.length < clocks.driftPairs) return null;
  const times = votes.map(({ first_s }) => first_s);
  const span = Math.max(...times) - Math.min(...times);
  if (span < clocks.driftSpanSeconds) return null;
  const centres = new Map(
    [...Map.groupBy(votes, ({ kind }) => kind.name)].map(([name, list]) => [name, median(list.map((v) => v.centre))]),
  );
  const values = votes.map((vote) => sign * (vote.centre - centres.get(vote.kind.name)!));
  const middle = times.reduce((sum, time) => sum + time, 0) / times.length;
  const level = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sumOfSquares = times.reduce((sum, time) => sum + (time - middle) ** 2, 0);
  const slope = times.reduce((sum, time, i) => sum + (time - middle) * (values[i]! - level), 0) / sumOfSquares;
  const rest = values.reduce((sum, value, i) => {
    const off = value - level - slope * (times[i]! - middle);
    return sum + off ** 2;
  }, 0);
  const deviation = Math.sqrt(rest / (votes.length - 2) / sumOfSquares);
  const isClear =
    Math.abs(slope) > clocks.driftDeviations * deviation && Math.abs(slope) * span > clocks.leastDriftSeconds;
  return isClear ? { slope, half_span_s: span / 2 } : null;
}
