import { firstAtOrAfter, type Measurements } from '../impact/measurement-table.ts';
import type { LatencyField } from './deviation.ts';
import { software } from './parameters.ts';

export type SeriesField = LatencyField | 'error_rate' | 'throughput';

interface TimeRange {
  readonly from_ns: bigint;
  readonly to_ns: bigint;
}

/**
 * How alike two series move: Pearson's correlation over the measurements of `a` in a time range, -1 to 1. Latencies and
 * throughput count as logarithms, error rates in percent. NaN when too few measurements are known in both, or one is constant.
 */
export function movesWith(
  [a, fieldOfA]: readonly [Measurements, SeriesField],
  [b, fieldOfB]: readonly [Measurements, SeriesField],
  { from_ns, to_ns }: TimeRange,
): number {
  const pairs: (readonly [number, number])[] = [];
  for (let i = firstAtOrAfter(a.time_ns, from_ns + 1n); i < a.time_ns.length && a.time_ns[i]! <= to_ns; i++) {
    // A row's time is the end of its interval, so the row of the other that holds this time is the first at or after it.
    const other = firstAtOrAfter(b.time_ns, a.time_ns[i]!);
    if (other === b.time_ns.length || (b.time_ns[other - 1] ?? 0n) > a.time_ns[i]!) continue;
    const pair = [scaled(a[fieldOfA][i]!, fieldOfA), scaled(b[fieldOfB][other]!, fieldOfB)] as const;
    if (pair.every(Number.isFinite)) pairs.push(pair);
  }
  return pairs.length < software.leastJointMeasurements ? Number.NaN : correlation(pairs);
}

const scaled = (value: number, field: SeriesField): number => (field === 'error_rate' ? value : Math.log(value));

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const mean = (of: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[of], 0) / pairs.length;
  const [middleA, middleB] = [mean(0), mean(1)];
  const sum = (of: (x: number, y: number) => number): number =>
    pairs.reduce((total, [x, y]) => total + of(x - middleA, y - middleB), 0);
  const scale = Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
  return scale > 0 ? sum((x, y) => x * y) / scale : Number.NaN;
}
