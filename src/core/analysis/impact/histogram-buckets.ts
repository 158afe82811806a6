export type Bucket = readonly [upper: number, count: number];

/** Linear inside the bucket, as Prometheus' histogram_quantile does; the open last bucket answers its lower bound. */
export function bucketQuantile(buckets: readonly Bucket[], q: number): number {
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  let lower = 0;
  for (const [upper, count] of buckets) {
    if (below + count >= q * total && count > 0) {
      return Number.isFinite(upper) ? lower + ((q * total - below) / count) * (upper - lower) : lower;
    }
    below += count;
    if (Number.isFinite(upper)) lower = upper;
  }
  return lower;
}

/** Earlier counts by the bounds of now: an exponential histogram that becomes coarser merges its buckets. */
export function withinBuckets(
  earlier: ReadonlyMap<number, number>,
  now: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  if ([...earlier.keys()].every((upper) => now.has(upper))) return earlier;
  const uppers = [...now.keys()].sort((a, b) => a - b);
  const merged = new Map<number, number>();
  for (const [upper, count] of earlier) {
    const place = uppers.find((one) => one >= upper * (1 - 1e-9));
    if (place !== undefined) merged.set(place, (merged.get(place) ?? 0) + count);
  }
  return merged;
}

interface Detail {
  readonly bounds?: readonly number[];
  readonly counts?: readonly number[];
  readonly scale?: number;
  readonly zero_count?: number;
  readonly positive?: { readonly offset: number; readonly counts: readonly number[] };
}

/** Counts by upper bounds; what is below zero is left out. Exponential bucket i covers (base^i, base^(i+1)] with base = 2^(2^-scale) (OpenTelemetry metrics data model). */
export function upperBounds(fact: { readonly kind: string; readonly detail: string }): Map<number, number> {
  const detail = JSON.parse(fact.detail) as Detail;
  const buckets = new Map<number, number>();
  if (fact.kind === 'histogram') {
    for (const [i, count] of (detail.counts ?? []).entries()) {
      buckets.set(detail.bounds?.[i] ?? Number.POSITIVE_INFINITY, Number(count));
    }
    return buckets;
  }
  const base = 2 ** (2 ** -(detail.scale ?? 0));
  if (detail.zero_count) buckets.set(0, Number(detail.zero_count));
  for (const [i, count] of (detail.positive?.counts ?? []).entries()) {
    buckets.set(base ** ((detail.positive?.offset ?? 0) + i + 1), Number(count));
  }
  return buckets;
}
