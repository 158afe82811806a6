import {
  bucketsDetail,
  type ExponentialBuckets,
  exponentialDetail,
  type Place,
} from '../series-meaning/distribution-detail.ts';
import { parseValue } from '../series-meaning/parse-value.ts';

/** A native histogram at one instant. */
export interface NativeHistogram {
  readonly kind: 'histogram' | 'exponential_histogram';
  readonly count: number;
  readonly sum: number;
  /** As in the table `distribution`. */
  readonly detail: string;
}

interface Bucket {
  readonly left: number;
  readonly right: number;
  readonly count: number;
}

/** More than any server answers (160 by default); the bound of what one histogram may become here. */
const MOST_BUCKETS = 10_000;
/** Scales of Prometheus' native histograms. */
const [LOWEST_SCALE, HIGHEST_SCALE] = [-4, 8];

/**
 * `{"count":"3","sum":"2.5","buckets":[[rule,"left","right","count"],...]}` as the HTTP API writes native histograms
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#native-histograms): exponential where the bounds are powers of one
 * base, explicit otherwise. Undefined: malformed.
 */
export function nativeHistogram(value: unknown): NativeHistogram | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { count, sum, buckets = [] } = value as Record<string, unknown>;
  const [total, summed] = [numberOf(count), numberOf(sum)];
  if (total === undefined || summed === undefined || !Array.isArray(buckets) || buckets.length > MOST_BUCKETS)
    return undefined;
  const read = buckets.map(bucketOf);
  if (!read.every((bucket) => bucket !== undefined)) return undefined;
  const ordered = read.toSorted((a, b) => a.right - b.right);
  const exponential = exponentialOf(ordered);
  return exponential === undefined
    ? { kind: 'histogram', count: total, sum: summed, detail: explicitOf(ordered, total) }
    : { kind: 'exponential_histogram', count: total, sum: summed, detail: exponential };
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : typeof value === 'string' ? parseValue(value) : undefined;

function bucketOf(value: unknown): Bucket | undefined {
  if (!Array.isArray(value)) return undefined;
  const [left, right, count] = (value as unknown[]).slice(1, 4).map(numberOf);
  if (left === undefined || right === undefined || count === undefined || !(left <= right) || !(count >= 0))
    return undefined;
  return { left, right, count };
}

/** Detail of an exponential histogram; undefined when these buckets are none. */
function exponentialOf(buckets: readonly Bucket[]): string | undefined {
  const zero = buckets.find(({ left, right }) => left <= 0 && right >= 0 && left === -right);
  const rest = buckets.filter((bucket) => bucket !== zero);
  const widths = rest.map(({ left, right }) => (left > 0 ? right / left : left / right));
  const first = widths[0] ?? 2;
  const scale = Math.round(-Math.log2(Math.log2(first)));
  if (!(scale >= LOWEST_SCALE && scale <= HIGHEST_SCALE)) return undefined;
  const base = 2 ** (2 ** -scale);
  if (widths.some((width) => !(Math.abs(width / base - 1) < 1e-9))) return undefined;
  const positive = sideOf(
    rest.filter(({ left }) => left > 0).map(({ left, count }) => [left, count]),
    base,
  );
  const negative = sideOf(
    rest.filter(({ right }) => right < 0).map(({ right, count }) => [-right, count]),
    base,
  );
  if (!positive || !negative || rest.some(({ left, right }) => left <= 0 && right >= 0)) return undefined;
  const threshold = zero?.right ?? 0;
  return exponentialDetail(scale, { count: zero?.count ?? 0, threshold }, positive, negative);
}

/** @param found the bound of each bucket that is nearer to zero, and its count */
function sideOf(found: readonly Place[], base: number): ExponentialBuckets | undefined {
  const indices = found.map(([bound, count]) => {
    const exact = Math.log2(bound) / Math.log2(base);
    return { index: Math.round(exact), isOn: Math.abs(exact - Math.round(exact)) < 1e-6, count };
  });
  if (indices.length === 0) return { offset: 0, counts: [] };
  const offset = indices.reduce((least, { index }) => Math.min(least, index), Infinity);
  const length = indices.reduce((most, { index }) => Math.max(most, index), -Infinity) - offset + 1;
  if (length > MOST_BUCKETS || !indices.every(({ isOn }) => isOn)) return undefined;
  const counts = new Array<number>(length).fill(0);
  for (const { index, count } of indices) counts[index - offset] = (counts[index - offset] ?? 0) + count;
  return { offset, counts };
}

/** Buckets that are left out are empty: between two that do not touch there is one of count 0. */
function explicitOf(buckets: readonly Bucket[], total: number): string {
  const places: Place[] = [];
  let below = 0;
  let reached = -Infinity;
  for (const { left, right, count } of buckets) {
    if (left > reached) places.push([left, below]);
    below += count;
    places.push([right, below]);
    reached = right;
  }
  return bucketsDetail(places, total);
}
