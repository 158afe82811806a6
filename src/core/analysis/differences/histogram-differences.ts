import type { Spread } from '../../../model/contract/differences.ts';
import type { DifferenceFilter, HistogramPointFact, PointFact, Reader, SpreadFact } from '../../store/facts/reader.ts';
import { bucketQuantile, upperBounds, withinBuckets } from '../impact/histogram-buckets.ts';
import { median } from '../statistics.ts';
import { differences } from './parameters.ts';
import { spreadOfValues } from './spread.ts';

const quantiles = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
type Quantile = keyof typeof quantiles;

/** Quantiles of what was collected up to a point. */
interface Collected extends Readonly<Record<Quantile, number>> {
  readonly inside: boolean;
}

/** A series of a quantile; its values are at hand. */
export interface QuantileFact extends Omit<PointFact, keyof SpreadFact> {
  readonly spread: Spread | null;
}

/** Series of quantiles, each with its values on both sides. */
export interface QuantileFacts {
  readonly facts: readonly QuantileFact[];
  /** Histograms of the sides, and how many of them were read. */
  readonly series: number;
  readonly read: number;
}

/** p50, p95 and p99 of histograms and summaries in a region and in its baseline. */
export async function quantileFacts(reader: Reader, filter: DifferenceFilter): Promise<QuantileFacts> {
  const points = await reader.histogramPoints(filter, differences.histogramPoints, differences.mostHistograms);
  const series = [...Map.groupBy(points, ({ series_id }) => series_id).values()];
  const facts = series.flatMap((own) => {
    const collected = own[0]!.kind === 'summary' ? stated(own) : counted(own);
    return (Object.keys(quantiles) as Quantile[]).flatMap((name) => toFact(own[0]!, name, collected) ?? []);
  });
  return { facts, series: points[0]?.series_count ?? 0, read: series.length };
}

/** Summaries state their quantiles. */
function stated(points: readonly HistogramPointFact[]): Collected[] {
  return points.map(({ inside, detail }) => {
    const pairs =
      (JSON.parse(detail) as { readonly quantiles?: readonly (readonly [number, number | null])[] }).quantiles ?? [];
    const at = (q: number): number => pairs.find(([one]) => one === q)?.[1] ?? Number.NaN;
    return { inside, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  });
}

/** Of cumulative series what was added since the point before, unless points that were not read lie in between. */
function counted(points: readonly HistogramPointFact[]): Collected[] {
  let before: { readonly point: HistogramPointFact; readonly counts: ReadonlyMap<number, number> } | undefined;
  let usual_ns = 0n;
  return points.flatMap((point): Collected[] => {
    if (hasNegative(point)) return [];
    const counts = upperBounds(point);
    const known = before;
    before = { point, counts };
    let added: [number, number][] = [...counts];
    if (point.temporality === 2) {
      const step_ns = known ? point.time_ns - known.point.time_ns : 0n;
      const isSameSide = known?.point.inside === point.inside;
      const isNext = isSameSide || (point.is_complete && known?.point.is_complete && step_ns <= 2n * usual_ns);
      if (isSameSide) usual_ns = step_ns;
      if (!known || !isNext || known.point.start_ns !== point.start_ns || point.count < known.point.count) return [];
      const base = withinBuckets(known.counts, counts);
      added = added.map(([upper, count]) => [upper, Math.max(0, count - (base.get(upper) ?? 0))]);
    }
    const buckets = added.sort(([a], [b]) => a - b);
    if (!buckets.some(([, count]) => count > 0)) return [];
    const { inside } = point;
    return [
      {
        inside,
        p50: bucketQuantile(buckets, 0.5),
        p95: bucketQuantile(buckets, 0.95),
        p99: bucketQuantile(buckets, 0.99),
      },
    ];
  });
}

const hasNegative = ({ kind, detail }: HistogramPointFact): boolean => {
  const { bounds, negative } = JSON.parse(detail) as {
    readonly bounds?: readonly number[];
    readonly negative?: { readonly counts?: readonly number[] };
  };
  return kind === 'histogram' ? (bounds?.[0] ?? 0) < 0 : (negative?.counts ?? []).some((count) => count > 0);
};

/** The figures of difference-points.sql. */
function toFact(
  series: HistogramPointFact,
  reading: Quantile,
  collected: readonly Collected[],
): QuantileFact | undefined {
  const values = collected
    .filter((one) => Number.isFinite(one[reading]))
    .map((one) => ({ inside: one.inside, value: one[reading] }));
  const region = values.filter(({ inside }) => inside).map(({ value }) => value);
  const baseline = values.filter(({ inside }) => !inside).map(({ value }) => value);
  if (region.length < differences.leastRegionPoints || baseline.length < differences.leastBaselinePoints)
    return undefined;
  const [region_median, baseline_median] = [median(region), median(baseline)];
  const { series_id, metric, unit, entity, attributes, series_count } = series;
  return {
    ...{ series_id, metric, unit, entity, attributes, reading, series_count },
    ...ranksOf(values),
    region: region.length,
    baseline: baseline.length,
    region_median,
    baseline_median,
    baseline_mad: median(baseline.map((value) => Math.abs(value - baseline_median))),
    spread: spreadOfValues(region, baseline),
    baseline_min: Math.min(...baseline),
    baseline_max: Math.max(...baseline),
    beyond: Math.min(
      baseline.filter((value) => value >= region_median).length,
      baseline.filter((value) => value <= region_median).length,
    ),
  };
}

/** Sum of the region's mean ranks, and of t^3 - t over the ties. */
function ranksOf(
  values: readonly { readonly inside: boolean; readonly value: number }[],
): Pick<PointFact, 'ranks' | 'ties'> {
  let [ranks, ties, place] = [0, 0, 1];
  for (const [, tied] of [...Map.groupBy(values, ({ value }) => value)].sort(([a], [b]) => a - b)) {
    ranks += tied.filter(({ inside }) => inside).length * (place + (tied.length - 1) / 2);
    ties += tied.length * (tied.length * tied.length - 1);
    place += tied.length;
  }
  return { ranks, ties };
}
