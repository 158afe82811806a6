import type { TraceMetric } from '../../../model/contract/index.ts';
import { messages } from '../messages.ts';

export type MetricSeries = TraceMetric['series'][number];

/** `db, GET /`: the values of its labels; of a metric without groups: all spans. */
export const seriesName = ({ labels }: MetricSeries): string =>
  labels.map(({ value }) => value).join(', ') || messages.allSpans;

/** Least and greatest of all values, from zero up where none is below. */
export function rangeOfSeries(series: readonly MetricSeries[]): readonly [low: number, high: number] {
  let [low, high] = [0, Number.NEGATIVE_INFINITY];
  for (const { values } of series)
    for (const value of values) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  return high > low ? [low, high] : [low, low + 1];
}

/** A path over buckets; it stops where there is no value, and a value alone is a short line. */
export function seriesPath(
  { values }: MetricSeries,
  {
    width,
    height,
    range: [low, high],
  }: { readonly width: number; readonly height: number; readonly range: readonly [number, number] },
): string {
  const step = width / Math.max(1, values.length);
  const yOf = (value: number): string => (height - ((value - low) / (high - low)) * height).toFixed(1);
  let path = '';
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const isJoined = (values[at - 1] ?? null) !== null;
    const [left, right] = [(at * step).toFixed(1), ((at + 1) * step).toFixed(1)];
    path += `${isJoined ? 'L' : 'M'}${left} ${yOf(value)}H${right}`;
  }
  return path;
}

export interface SeriesFigures {
  readonly mean: number;
  readonly max: number;
}

export function seriesFigures({ values }: MetricSeries): SeriesFigures {
  const known = values.filter((value) => value !== null);
  return { mean: known.reduce((sum, one) => sum + one, 0) / Math.max(1, known.length), max: Math.max(...known) };
}
