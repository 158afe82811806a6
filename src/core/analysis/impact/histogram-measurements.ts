import { convertUnit } from '../../../base/convert-unit.ts';
import { jsonMembers } from '../../../base/json-members.ts';
import { isOfCaller, labelOutcome } from '../../../model/telemetry/request-outcome.ts';
import { isServedDuration, modelRun, serverHistograms, stepsBeside } from '../../../model/telemetry/served-duration.ts';
import type { HistogramFact, HistogramSeriesFact, Reader } from '../../store/facts/reader.ts';
import { median } from '../statistics.ts';
import { type Bucket, bucketQuantile, upperBounds, withinBuckets } from './histogram-buckets.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';
import { bySteps } from './request-steps.ts';
import { wholeRange } from './whole-range.ts';

/** Requests of one collection interval, as counts below ascending upper bounds (ms). */
interface Delta {
  readonly series: number;
  readonly time_ns: bigint;
  readonly seconds: number;
  readonly failed: boolean;
  readonly total: number;
  readonly buckets: readonly Bucket[];
}

/** Measurements of services and jobs from their histograms of durations, whatever they are called. */
export async function histogramMeasurements(reader: Reader): Promise<Measurements[]> {
  const all = (await reader.histogramSeries()).filter(({ kind }) => kind !== 'summary');
  const steps = new Set(all.filter(({ metric }) => stepsBeside.includes(metric)).map(({ series_id }) => series_id));
  const services = await factsByService(
    reader,
    all.filter((one) => steps.has(one.series_id) || isMeasurement(one)),
  );
  return [...services].flatMap(([service, rows]) => {
    const place = placeOf(rows.filter(({ series_id }) => !steps.has(series_id)));
    if (place.length === 0) return [];
    const table = toTable(service, place);
    if (place[0]!.metric !== modelRun) return [table];
    const beside = Map.groupBy(
      rows.filter(({ series_id }) => steps.has(series_id)),
      ({ metric }) => metric,
    );
    return [
      bySteps(
        table,
        [...beside.values()].map((step) => toTable(service, step)),
      ),
    ];
  });
}

/** Histograms of how long services or jobs took. */
export const servedSeries = async (reader: Reader): Promise<HistogramSeriesFact[]> =>
  (await reader.histogramSeries()).filter((one) => one.kind !== 'summary' && isMeasurement(one));
/** Summaries of the same: of what they count the mean is known. */
export const servedSummaries = async (reader: Reader): Promise<HistogramSeriesFact[]> =>
  (await reader.histogramSeries()).filter((one) => one.kind === 'summary' && isMeasurement(one));

/** Rows of such series by service, of the place that counts its requests. */
export async function servedHistograms(
  reader: Reader,
  series: readonly HistogramSeriesFact[],
): Promise<Map<number, readonly HistogramFact[]>> {
  return new Map([...(await factsByService(reader, series))].map(([service, rows]) => [service, placeOf(rows)]));
}

async function factsByService(reader: Reader, series: readonly HistogramSeriesFact[]) {
  const facts = series.length === 0 ? [] : await reader.serviceHistograms(series.map(({ series_id }) => series_id));
  return Map.groupBy(facts, ({ service }) => service);
}

/** Names of OpenTelemetry have a unit by convention and may be about a replica. */
function isMeasurement({ metric, entity_kind, unit, attributes }: HistogramSeriesFact): boolean {
  if (serverHistograms.has(metric) || metric === modelRun) return true;
  const isOfWork = entity_kind === 'service' || entity_kind === 'job';
  return (
    isOfWork &&
    convertUnit(1, unit, 'ms') !== undefined &&
    isServedDuration(metric) &&
    !Object.entries(jsonMembers(attributes)).some(([key, value]) => isOfCaller(key, String(value)))
  );
}

type SeriesDeltas = readonly (readonly Delta[])[];

/**
 * The requests of a service are often measured in several places, and count once: those of inference, which come over HTTP or RPC;
 * else those of the server; else those of the metric with the most requests; else the runs of the model
 * ({@link bySteps}).
 */
function placeOf(all: readonly HistogramFact[]): readonly HistogramFact[] {
  const whole = all.filter(({ metric }) => metric !== modelRun);
  const facts = whole.length > 0 ? whole : all;
  const inference = facts.filter(({ metric }) => metric.startsWith('gen_ai.'));
  const server = facts.filter(({ metric }) => serverHistograms.has(metric));
  const [known] = [inference, server].filter((rows) => rows.length > 0);
  if (known) return known;
  if (facts.length === 0) return [];
  const places = [...Map.groupBy(facts, ({ metric }) => metric).values()];
  const counted = places.map((rows) => ({ rows, requests: requestsOf(deltasOf(rows)) }));
  return counted.reduce((most, one) => (one.requests > most.requests ? one : most)).rows;
}

const deltasOf = (facts: readonly HistogramFact[]): SeriesDeltas =>
  [...Map.groupBy(facts, ({ series_id }) => series_id).values()].map(seriesDeltas);
const requestsOf = (series: SeriesDeltas): number => series.flat().reduce((sum, { total }) => sum + total, 0);

/** @param facts of one service, by series and time */
export function toTable(service: number, facts: readonly HistogramFact[]): Measurements {
  const series = deltasOf(facts);
  const deltas = series.flat();
  const step =
    BigInt(Math.max(1, Math.round(median(deltas.map(({ seconds }) => seconds)) || impact.unknownIntervalSeconds))) *
    1_000_000_000n;
  const width = step * widening(deltas, step);
  const intervals = [...Map.groupBy(deltas, ({ time_ns }) => time_ns / width)].sort(([a], [b]) => (a < b ? -1 : 1));
  // Known when the last of its parts is: collectors read replicas one after the other.
  const table = emptyMeasurements(
    service,
    'histograms',
    intervals.map(([, parts]) => parts.reduce((last, { time_ns }) => (time_ns > last ? time_ns : last), 0n)),
  );
  const rates = new Rates(series, Number(step) / 1e9);
  for (const [i, [at, parts]] of intervals.entries()) {
    fillInterval(table, i, parts);
    table.throughput[i] = rates.between(at * width, (at + 1n) * width);
  }
  forgetPartial(table, series, { step, width });
  return table;
}

/**
 * Requests per second of all series together. Each counts by its own collection interval: after an export that was lost, the next
 * difference covers both intervals, and the requests of the first one are not missing.
 */
class Rates {
  /** Of each series, the first difference that ends after the times that were asked for. */
  private readonly next: number[];
  private readonly series: SeriesDeltas;
  private readonly step_s: number;

  /** @param step_s usual collection interval: a series that has just begun has no shorter one */
  constructor(series: SeriesDeltas, step_s: number) {
    this.series = series;
    this.step_s = step_s;
    this.next = series.map(() => 0);
  }

  /** For ascending times; NaN where nothing covers any of it. */
  between(from_ns: bigint, to_ns: bigint): number {
    const rates = this.series.map((deltas, i) => this.rateOf(deltas, i, [from_ns, to_ns]));
    const known = rates.filter((rate) => !Number.isNaN(rate));
    return known.length === 0 ? Number.NaN : known.reduce((sum, rate) => sum + rate, 0);
  }

  private rateOf(deltas: readonly Delta[], i: number, [from_ns, to_ns]: readonly [bigint, bigint]): number {
    let [total, seconds, at] = [0, 0, this.next[i]!];
    while (at < deltas.length && deltas[at]!.time_ns < from_ns) at++;
    const first = at;
    for (; at < deltas.length && deltas[at]!.time_ns < to_ns; at++) {
      total += deltas[at]!.total;
      seconds += deltas[at]!.seconds;
    }
    this.next[i] = at;
    const covering = at === first ? deltas[at] : undefined;
    if (covering && startOf(covering) < to_ns) ({ total, seconds } = covering);
    return seconds > 0 ? total / Math.max(seconds, this.step_s) : Number.NaN;
  }
}

const startOf = ({ time_ns, seconds }: Delta): bigint => time_ns - BigInt(Math.round(seconds * 1e9));

/** So many collection intervals are one: the median of a few requests is chance. */
function widening(deltas: readonly Delta[], step: bigint): bigint {
  const steps = new Set(deltas.map(({ time_ns }) => time_ns / step)).size;
  const each = deltas.reduce((sum, { total }) => sum + total, 0) / Math.max(1, steps);
  const longest = Math.max(1, Math.floor(impact.widestSeconds / (Number(step) / 1e9)));
  return BigInt(Math.min(longest, Math.max(1, Math.ceil(impact.fewForMedian / Math.max(each, 1e-9)))));
}

/** Where a part of the service is not recorded yet, or no more, its throughput is unknown. */
function forgetPartial(
  table: Measurements,
  ofSeries: SeriesDeltas,
  { step, width }: { readonly step: bigint; readonly width: bigint },
): void {
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
    const begin = (time / width) * width;
    if (begin + step <= whole.from_ns || begin + width - step > whole.to_ns) table.throughput[i] = Number.NaN;
  });
}

function fillInterval(table: Measurements, i: number, parts: readonly Delta[]): void {
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const failed = parts.reduce((sum, part) => sum + (part.failed ? part.total : 0), 0);
  table.requests[i] = total;
  if (total === 0) return;
  table.error_rate[i] = (100 * failed) / total;
  const merged = new Map<number, number>();
  for (const part of parts)
    for (const [upper, count] of part.buckets) merged.set(upper, (merged.get(upper) ?? 0) + count);
  const buckets = [...merged].sort(([a], [b]) => a - b);
  table.p30[i] = bucketQuantile(buckets, 0.3);
  table.p50[i] = bucketQuantile(buckets, 0.5);
  table.p70[i] = bucketQuantile(buckets, 0.7);
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
        series: first.series_id,
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

/** Whether the attributes of a series state that what it counts failed. @param attributes JSON object text, or '' */
export const isFailure = (attributes: string): boolean => {
  const members = Object.entries(jsonMembers(attributes));
  return (
    members.some(([key]) => key === 'error.type') ||
    members.some(([key, value]) => labelOutcome(key, String(value)) === 'failed')
  );
};
