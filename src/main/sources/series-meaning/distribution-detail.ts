/** Texts of the column `detail` of the table `distribution`. */

/** A bound or a quantile, and the count or value at it. */
export type Place = readonly [at: number, value: number];

/** JSON of a double; values that JSON lacks are strings, as in OTLP/JSON. */
const json = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? '"NaN"' : value > 0 ? '"Infinity"' : '"-Infinity"';

/** `{"quantiles":[[0.5,12.5],...]}` of places that ascend. */
export const quantilesDetail = (ordered: readonly Place[]): string =>
  `{"quantiles":[${ordered.map(([quantile, value]) => `[${json(quantile)},${json(value)}]`).join()}]}`;

/**
 * `{"bounds":[1,5],"counts":[3,2,0]}`: counts of separate buckets from cumulative ones that ascend by their upper bound; the
 * last count is above the last bound. Where neither a bucket `+Inf` nor a total states it, it is null.
 * @param total of all values; NaN when it is not recorded
 */
export function bucketsDetail(ordered: readonly Place[], total: number): string {
  const bounds: string[] = [];
  const counts: string[] = [];
  let before = 0;
  let last = total;
  for (const [bound, cumulative] of ordered) {
    if (bound === Infinity) last = cumulative;
    if (!Number.isFinite(bound)) continue;
    bounds.push(json(bound));
    counts.push(json(Math.max(0, cumulative - before)));
    before = cumulative;
  }
  counts.push(Number.isNaN(last) ? 'null' : json(Math.max(0, last - before)));
  return `{"bounds":[${bounds.join()}],"counts":[${counts.join()}]}`;
}

/** Buckets on one side of zero: bucket i of them covers (base^(offset + i), base^(offset + i + 1)]. */
export interface ExponentialBuckets {
  readonly offset: number;
  readonly counts: readonly number[];
}

/** As the OTLP importers write it; base is 2^(2^-scale) (OpenTelemetry metrics data model, ExponentialHistogram). */
export function exponentialDetail(
  scale: number,
  zero: { readonly count: number; readonly threshold: number },
  positive: ExponentialBuckets,
  negative: ExponentialBuckets,
): string {
  const side = ({ offset, counts }: ExponentialBuckets) => `{"offset":${offset},"counts":[${counts.map(json).join()}]}`;
  return `{"scale":${scale},"zero_count":${json(zero.count)},"zero_threshold":${json(zero.threshold)},"positive":${side(positive)},"negative":${side(negative)}}`;
}

/** Nanoseconds of the seconds since 1970 that `_created` has; 0 if they are not plausible. */
export function createdAt(seconds: number): bigint {
  return seconds > 0 && seconds < 9.2e9 ? BigInt(Math.round(seconds * 1e6)) * 1000n : 0n;
}
