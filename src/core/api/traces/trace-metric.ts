import type { Parsed, TraceMetric } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { parseSearch } from '../../../model/traceql/parse-search.ts';
import { refuse } from '../../../model/traceql/problem.ts';
import type { SeriesMetric, TraceSearch } from '../../../model/traceql/syntax.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { caseDialect } from '../../traceql/case-dialect.ts';
import { compileMetric } from '../../traceql/compile-metric.ts';
import { compareSpans, type MetricReading } from './trace-compare.ts';
import { tryPattern } from './try-pattern.ts';

/** More lines than a reader compares in one chart. */
const MOST_SERIES = 50;

type Series = TraceMetric['series'][number];
type Bounds = { readonly first_ns: bigint | null; readonly last_ns: bigint | null };

const stepOf = (from: bigint, until: bigint, buckets: number): bigint => (until - from) / BigInt(buckets) + 1n;

/** Series over time of a search. @throws ProblemError traceql.… */
export async function traceMetric(
  session: Session,
  { query, start_ns, end_ns, buckets }: Parsed<'traces.metric'>,
  { bounds, signal }: { readonly bounds: Bounds; readonly signal?: AbortSignal },
): Promise<TraceMetric> {
  const search = parseSearch(query);
  if (search.metric === null)
    return refuse('traceql.syntax', query.length, 'this search has no metric', 'end it with | rate() or another');
  const from = start_ns ?? bounds.first_ns ?? 0n;
  const until = end_ns ?? bounds.last_ns ?? from;
  const window = { start_ns: from, end_ns: until, step_ns: stepOf(from, until, buckets) };
  const reading = { window, buckets, ...(signal && { signal }) };
  return search.metric.function === 'compare'
    ? compareSpans(session, { ...search, metric: search.metric }, reading)
    : seriesOf(session, { ...search, metric: search.metric }, reading);
}

/** Every series of a metric, in the buckets of a timeline, whose end is none of its time. @throws ProblemError traceql.… */
export async function metricOf(
  session: Session,
  input: Pick<Parsed<'traces.metric'>, 'query' | 'buckets'> & { readonly start_ns: bigint; readonly end_ns: bigint },
  signal: AbortSignal,
): Promise<{ readonly series: readonly Series[]; readonly isCounted: boolean }> {
  const { metric, ...search } = parseSearch(input.query);
  if (metric === null || metric.function === 'compare')
    return refuse('traceql.unsupported', 0, 'a lane is a metric with a value over time', 'such as { } | rate()');
  const { start_ns, end_ns, buckets } = input;
  const step_ns = (end_ns - start_ns + BigInt(buckets) - 1n) / BigInt(buckets);
  const window = { start_ns, end_ns: end_ns - 1n, step_ns: step_ns > 0n ? step_ns : 1n };
  const series = await allSeries(session, { ...search, metric }, { window, buckets, signal });
  return { series, isCounted: isCounted(metric) && metric.where === null };
}

async function seriesOf(
  session: Session,
  search: TraceSearch & { readonly metric: SeriesMetric },
  reading: MetricReading,
): Promise<TraceMetric> {
  const { metric } = search;
  const sorted = sortedSeries(await allSeries(session, search, reading), metric);
  const shown = sorted.slice(0, Math.min(metric.limit?.count ?? MOST_SERIES, MOST_SERIES));
  const { start_ns, step_ns } = reading.window;
  return { start_ns, step_ns, unit: unitOf(metric), series: shown, omitted: sorted.length - shown.length };
}

async function allSeries(
  session: Session,
  search: TraceSearch & { readonly metric: SeriesMetric },
  { window, buckets, signal }: MetricReading,
): Promise<Series[]> {
  const { metric } = search;
  const compiled = compileMetric(search, window, caseDialect);
  for (const pattern of compiled.patterns) await tryPattern(session, pattern);
  const rows = rowsOf<Record<string, unknown>>(await session.query(compiled.sql, compiled.values, signal));
  const all = new Map<string, Series>();
  for (const row of rows)
    for (const [column, own] of compiled.columns.entries()) {
      const labels = [
        ...compiled.labels.map((name, at) => ({ name, value: String(row[`group_${at}`]) })),
        ...(own === '' ? [] : [{ name: 'quantile', value: own }]),
      ];
      const key = JSON.stringify(labels);
      const series = all.get(key) ?? { labels, values: Array<number | null>(buckets).fill(null) };
      all.set(key, series);
      const at = Number(row['bucket']);
      const value = Number(row[`value_${column}`]);
      if (at >= 0 && at < buckets && Number.isFinite(value) && holds(metric, value)) series.values[at] = value;
    }
  // A time without any span has none, and no unknown number of them.
  if (isCounted(metric) && metric.where === null)
    for (const { values } of all.values()) for (const at of values.keys()) values[at] ??= 0;
  return [...all.values()].filter(({ values }) => values.some((one) => one !== null));
}

const isCounted = ({ function: name }: SeriesMetric): boolean => ['rate', 'count', 'histogram'].includes(name);

function unitOf(metric: SeriesMetric): string {
  if (metric.function === 'rate') return '1/s';
  return metric.of?.kind === 'intrinsic' && metric.function !== 'histogram' ? 's' : '';
}

function holds({ where }: SeriesMetric, value: number): boolean {
  if (where === null) return true;
  switch (where.operator) {
    case '=':
      return value === where.value;
    case '!=':
      return value !== where.value;
    case '<':
      return value < where.value;
    case '<=':
      return value <= where.value;
    case '>':
      return value > where.value;
    case '>=':
      return value >= where.value;
  }
}

function sortedSeries(series: readonly Series[], { limit }: SeriesMetric): Series[] {
  const mean = ({ values }: Series): number => {
    const known = values.filter((one) => one !== null);
    return known.reduce((sum, one) => sum + one, 0) / Math.max(1, known.length);
  };
  const sign = limit?.kind === 'bottom' ? 1 : -1;
  const keyOf = ({ labels }: Series): string => labels.map(({ value }) => value).join(' ');
  return series.toSorted((a, b) => sign * (mean(a) - mean(b)) || (keyOf(a) < keyOf(b) ? -1 : 1));
}
