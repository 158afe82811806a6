import type { MeanOf, ServicePart } from '../../../model/incident/incident.ts';
import { modelRun, serverHistograms } from '../../../model/telemetry/served-duration.ts';
import type { CountedDurationFact, HistogramSeriesFact, Reader } from '../../store/facts/reader.ts';
import { median } from '../statistics.ts';
import { isFailure, servedSummaries } from './histogram-measurements.ts';
import { namedParts } from './histogram-parts.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** What is known of the requests, or tokens, of one kind between two collections. */
interface Mean {
  readonly seconds: number;
  readonly count: number;
  readonly failed: number;
}

/**
 * Measurements of services of which only sums were recorded: counters of requests and of their time, or summaries. Requests come before
 * tokens where a server counts both.
 * @param measured services that are left out
 */
export async function meanMeasurements(reader: Reader, measured: ReadonlySet<number>): Promise<Measurements[]> {
  return [...(await factsByService(reader))].flatMap(([service, facts]) => {
    const table = measured.has(service) ? undefined : meanTable(service, facts);
    return table ? [table] : [];
  });
}

/** The same of each model, route, tenant and replica, of kinds of which a service has several. */
export async function meanParts(reader: Reader): Promise<Measurements[]> {
  return [...(await factsByService(reader))].flatMap(([service, facts]) => {
    const named = facts.flatMap((one) => namedParts(one.attributes).map((part) => ({ part, one })));
    return [...Map.groupBy(named, ({ part }) => part.kind).values()].flatMap((own) => {
      const names = Map.groupBy(own, ({ part }) => part.name);
      return names.size < 2 ? [] : [...names.values()].flatMap((rows) => partTable(service, rows));
    });
  });
}

function partTable(
  service: number,
  rows: readonly { readonly part: ServicePart; readonly one: CountedDurationFact }[],
): Measurements[] {
  const table = meanTable(
    service,
    rows.map(({ one }) => one),
  );
  // Tokens are no requests, by which parts are weighed.
  if (table?.meanOf !== 'request') return [];
  return [{ ...table, throughput: table.throughput.fill(Number.NaN), part: rows[0]!.part }];
}

/** Of each service the rows of one place that counts its requests, else those of tokens. */
async function factsByService(reader: Reader): Promise<Map<number, readonly CountedDurationFact[]>> {
  const summaries = await servedSummaries(reader);
  const metricOf = new Map(summaries.map(({ series_id, metric }) => [String(series_id), metric]));
  const facts = await reader.countedDurations(summaries.map(({ series_id }) => series_id));
  const services = Map.groupBy(facts, ({ service }) => service);
  return new Map([...services].map(([service, rows]) => [service, placeOf(rows, metricOf)]));
}

function placeOf(
  rows: readonly CountedDurationFact[],
  metricOf: ReadonlyMap<string, HistogramSeriesFact['metric']>,
): readonly CountedDurationFact[] {
  const places = Map.groupBy(rows, ({ of, kind }) => (of === 'token' ? 'token' : (metricOf.get(kind) ?? '')));
  const rankOf = (metric: string): number => {
    if (metric === 'token') return 0;
    if (metric === modelRun) return 1;
    if (metric === '' || metric.startsWith('gen_ai.')) return 4;
    return serverHistograms.has(metric) ? 3 : 2;
  };
  const counted = [...places].map(([metric, own]) => ({
    own,
    rank: rankOf(metric),
    count: own.reduce((sum, { count }) => sum + count, 0),
  }));
  const [best] = counted
    .filter(({ count, own }) => count > 0 && own.some(({ seconds }) => seconds > 0))
    .toSorted((a, b) => b.rank - a.rank || b.count - a.count);
  return best?.own ?? [];
}

/** @returns undefined if nothing was counted, or no time of it. */
export function meanTable(service: number, facts: readonly CountedDurationFact[]): Measurements | undefined {
  const [first] = facts;
  if (!first) return undefined;
  const meanOf: MeanOf = first.of;
  const width = first.width_ns * widening(facts);
  const intervals = [...Map.groupBy(facts, ({ time_ns }) => time_ns / width)]
    .map(([at, rows]) => ({ at, kinds: new Map([...Map.groupBy(rows, ({ kind }) => kind)].map(meanOfKind)) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  const usual = usualKinds(intervals.map(({ kinds }) => kinds));
  if (usual.size === 0) return undefined;
  const table = emptyMeasurements(
    service,
    'means',
    intervals.map(({ at }) => at * width),
  );
  for (const [i, { kinds }] of intervals.entries()) {
    const all = [...kinds.values()];
    const count = all.reduce((sum, one) => sum + one.count, 0);
    if (count >= (meanOf === 'token' ? impact.fewForMedian : 1)) table.p50[i] = 1000 * standardMean(kinds, usual);
    // Tokens of one answer come and go together: they are no independent counts.
    if (meanOf === 'token') continue;
    table.requests[i] = count;
    table.throughput[i] = count / (Number(width) / 1e9);
    if (count > 0) table.error_rate[i] = (100 * all.reduce((sum, one) => sum + one.failed, 0)) / count;
  }
  return { ...table, meanOf };
}

const meanOfKind = ([kind, rows]: readonly [string, readonly CountedDurationFact[]]): [string, Mean] => {
  const sum = (of: (row: CountedDurationFact) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const failed = sum(({ count, attributes }) => (isFailure(attributes) ? count : 0));
  return [kind, { seconds: sum(({ seconds }) => seconds), count: sum(({ count }) => count), failed }];
};

/** So many collection intervals are one: the mean of a few requests is chance. */
function widening(facts: readonly CountedDurationFact[]): bigint {
  const { width_ns } = facts[0]!;
  const intervals = new Set(facts.map(({ time_ns }) => time_ns)).size;
  const each = facts.reduce((sum, { count }) => sum + count, 0) / Math.max(1, intervals);
  const longest = Math.max(1, Math.floor(impact.widestSeconds / (Number(width_ns) / 1e9)));
  return BigInt(Math.min(longest, Math.max(1, Math.ceil(impact.fewForMedian / Math.max(each, 1e-9)))));
}

interface UsualKind {
  /** Requests in all. */
  readonly weight: number;
  /** Seconds, of a typical interval. */
  readonly mean: number;
}

function usualKinds(intervals: readonly ReadonlyMap<string, Mean>[]): Map<string, UsualKind> {
  const all = intervals.flatMap((kinds) => [...kinds].filter(([, { count }]) => count > 0));
  return new Map(
    [...Map.groupBy(all, ([kind]) => kind)].map(([kind, rows]) => [
      kind,
      {
        weight: rows.reduce((sum, [, { count }]) => sum + count, 0),
        mean: median(rows.map(([, { seconds, count }]) => seconds / count)),
      },
    ]),
  );
}

/**
 * The mean as if each kind had its share of the whole recording: more requests for a slow model, or none for a quick one, make nothing
 * slower.
 */
function standardMean(kinds: ReadonlyMap<string, Mean>, usual: ReadonlyMap<string, UsualKind>): number {
  let [sum, weights] = [0, 0];
  for (const [kind, { weight, mean }] of usual) {
    const own = kinds.get(kind);
    sum += weight * (own && own.count > 0 ? own.seconds / own.count : mean);
    weights += weight;
  }
  return sum / weights;
}
