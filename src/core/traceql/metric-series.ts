import type { TraceMetric } from '../../model/contract/index.ts';
import { fail } from '../../model/problem.ts';
import type { SqlValue } from '../../model/storage/engine.ts';
import type { SeriesMetric, TraceSearch } from '../../model/traceql/syntax.ts';
import type { Pattern } from './bindings.ts';
import { compileMetric, type MetricWindow } from './compile-metric.ts';
import type { Dialect } from './dialect.ts';

/** More lines than a reader compares in one chart. */
const MOST_SERIES = 50;
/** Points of all series together: by a field that differs in each span there are as many as spans, and each is held in memory here. */
const MOST_POINTS = 200_000;

type Series = TraceMetric['series'][number];
type MetricSearch = TraceSearch & { readonly metric: SeriesMetric };

/** Where the spans of a metric are, and into how many parts its time is divided. */
export interface SpanStore {
  readonly dialect: Dialect;
  readonly window: MetricWindow;
  readonly buckets: number;
  query(sql: string, values: readonly SqlValue[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** @throws ProblemError traceql.regex */
  tryPattern(pattern: Pattern): Promise<void>;
}

/** The times of so many buckets, whose first begins at `from_ns` and whose last includes `until_ns`. */
export const metricWindow = (from_ns: bigint, until_ns: bigint, buckets: number): MetricWindow => ({
  start_ns: from_ns,
  end_ns: until_ns,
  step_ns: (until_ns - from_ns) / BigInt(buckets) + 1n,
});

/** The series of a metric that a chart shows. @throws ProblemError traceql.regex, traceql.too_large */
export async function shownSeries(search: MetricSearch, store: SpanStore): Promise<TraceMetric> {
  const { metric } = search;
  const sorted = sortedSeries(await allSeries(search, store), metric);
  const shown = sorted.slice(0, Math.min(metric.limit?.count ?? MOST_SERIES, MOST_SERIES));
  const { start_ns, step_ns } = store.window;
  return { start_ns, step_ns, unit: unitOf(metric), series: shown, omitted: sorted.length - shown.length };
}

/** Every series of a metric, in no order. @throws ProblemError traceql.regex, traceql.too_large */
export async function allSeries(search: MetricSearch, store: SpanStore): Promise<Series[]> {
  const { metric } = search;
  const { buckets } = store;
  const compiled = compileMetric(search, store.window, store.dialect);
  for (const pattern of compiled.patterns) await store.tryPattern(pattern);
  const all = new Map<string, Series>();
  const rows = await store.query(`${compiled.sql}\nlimit ${MOST_POINTS + 1}`, compiled.values);
  if (rows.length > MOST_POINTS)
    fail('traceql.too_large', `this metric has more than ${MOST_POINTS.toLocaleString('en')} points`, {
      hint: 'group by a field with fewer different values, or ask about a shorter time',
    });
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
      // JSON has no NaN: null stands for it.
      const value = Number(row[`value_${column}`] ?? Number.NaN);
      if (at >= 0 && at < buckets && Number.isFinite(value) && holds(metric, value)) series.values[at] = value;
    }
  // A time without any span has none, and no unknown number of them.
  if (isEveryPointKnown(metric))
    for (const { values } of all.values()) for (const at of values.keys()) values[at] ??= 0;
  return [...all.values()].filter(({ values }) => values.some((one) => one !== null));
}

/** It counts spans, and leaves out no point. */
export const isEveryPointKnown = ({ function: name, where }: SeriesMetric): boolean =>
  ['rate', 'count', 'histogram'].includes(name) && where === null;

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
