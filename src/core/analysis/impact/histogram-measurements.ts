import { convertUnit } from '../../../base/convert-unit.ts';
import { jsonMembers } from '../../../base/json-members.ts';
import type { HistogramFact } from '../../store/facts/reader.ts';
import { median } from '../statistics.ts';
import { type Bucket, bucketQuantile, upperBounds, withinBuckets } from './histogram-buckets.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';
import { wholeRange } from './whole-range.ts';

/** Requests of one collection interval, as counts below ascending upper bounds (seconds or ms, by the unit of the series). */
interface Delta {
  readonly time_ns: bigint;
  readonly seconds: number;
  readonly failed: boolean;
  readonly total: number;
  readonly buckets: readonly Bucket[];
}

/** Service metrics from OpenTelemetry server histograms (DESIGN section 6 lists the names). */
export function histogramMeasurements(facts: readonly HistogramFact[]): Measurements[] {
  return [...Map.groupBy(facts, (fact) => fact.service)].map(([service, all]) => {
    // Requests of inference come over HTTP or RPC: they count once.
    const inference = all.filter(({ metric }) => metric.startsWith('gen_ai.'));
    const rows = inference.length > 0 ? inference : all;
    const ofSeries = [...Map.groupBy(rows, (row) => row.series_id)].map(([, series]) => seriesDeltas(series));
    const deltas = ofSeries.flat();
    const width =
      BigInt(Math.max(1, Math.round(median(deltas.map((delta) => delta.seconds)) || impact.unknownIntervalSeconds))) *
      1_000_000_000n;
    const intervals = [...Map.groupBy(deltas, (delta) => (delta.time_ns / width) * width)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const table = emptyMeasurements(
      service,
      'histograms',
      intervals.map(([time]) => time),
    );
    for (const [i, [, parts]] of intervals.entries()) fillInterval(table, i, parts);
    forgetPartial(table, ofSeries, width);
    return table;
  });
}

/** Where a part of the service is not recorded yet, or no more, its throughput is unknown. */
function forgetPartial(table: Measurements, ofSeries: readonly (readonly Delta[])[], width: bigint): void {
  const parts = ofSeries
    .filter((deltas) => deltas.length > 0)
    .map((deltas) => ({
      first_ns: deltas[0]!.time_ns,
      last_ns: deltas.at(-1)!.time_ns,
      requests: deltas.reduce((sum, { total }) => sum + total, 0),
    }));
  const whole = wholeRange(parts);
  if (!whole) return;
  table.time_ns.forEach((time, i) => {
    if (time + width <= whole.from_ns || time > whole.to_ns) table.throughput[i] = Number.NaN;
  });
}

function fillInterval(table: Measurements, i: number, parts: readonly Delta[]): void {
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const failed = parts.reduce((sum, part) => sum + (part.failed ? part.total : 0), 0);
  const seconds = Math.max(...parts.map((part) => part.seconds));
  table.throughput[i] = seconds > 0 ? total / seconds : Number.NaN;
  table.requests[i] = total;
  if (total === 0) return;
  table.error_rate[i] = (100 * failed) / total;
  const merged = new Map<number, number>();
  for (const part of parts)
    for (const [upper, count] of part.buckets) merged.set(upper, (merged.get(upper) ?? 0) + count);
  const buckets = [...merged].sort(([a], [b]) => a - b);
  table.p50[i] = bucketQuantile(buckets, 0.5);
  table.p95[i] = bucketQuantile(buckets, 0.95);
  table.p99[i] = bucketQuantile(buckets, 0.99);
}

/** Cumulative series become differences; a counter that went down, or a new start, begins again from zero. */
function seriesDeltas(series: readonly HistogramFact[]): Delta[] {
  const first = series[0]!;
  const { unit, metric } = first;
  const isOld = metric === 'http.server.duration' || metric === 'rpc.server.duration';
  const scale = (unit ? convertUnit(1, unit, 'ms') : undefined) ?? (isOld ? 1 : 1000);
  const failed = isFailure(first.attributes);
  const deltas: Delta[] = [];
  let before: { fact: HistogramFact; buckets: ReadonlyMap<number, number> } | undefined;
  for (const fact of series) {
    const buckets = upperBounds(fact);
    const cumulative = fact.temporality === 2;
    const continues = cumulative && before && fact.start_ns === before.fact.start_ns && fact.count >= before.fact.count;
    // The first cumulative point counts from an unknown past: it only opens the difference.
    if (!cumulative || before) {
      const base = continues && before ? withinBuckets(before.buckets, buckets) : new Map<number, number>();
      const from = continues ? (before as { fact: HistogramFact }).fact.time_ns : fact.start_ns;
      const entries = [...buckets].map(
        ([upper, count]) => [upper * scale, Math.max(0, count - (base.get(upper) ?? 0))] as const,
      );
      deltas.push({
        time_ns: fact.time_ns,
        seconds: Number(fact.time_ns - from) / 1e9,
        failed,
        total: entries.reduce((sum, [, count]) => sum + count, 0),
        buckets: entries,
      });
    }
    before = { fact, buckets };
  }
  return deltas;
}

function isFailure(attributes: string): boolean {
  const values = jsonMembers(attributes);
  const status = Number(values['http.response.status_code'] ?? values['http.status_code'] ?? 0);
  const rpc = values['rpc.grpc.status_code'];
  return status >= 500 || values['error.type'] !== undefined || (rpc !== undefined && Number(rpc) !== 0);
}
