import type { Parsed, TraceMetric } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { parseSearch } from '../../../model/traceql/parse-search.ts';
import { refuse } from '../../../model/traceql/problem.ts';
import type { Metric } from '../../../model/traceql/syntax.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { caseDialect } from '../../traceql/case-dialect.ts';
import { compileMetric } from '../../traceql/compile-metric.ts';
import { tryPattern } from './try-pattern.ts';

/** More lines than a reader compares in one chart. */
const MOST_SERIES = 50;

type Series = TraceMetric['series'][number];
type Bounds = { readonly first_ns: bigint | null; readonly last_ns: bigint | null };

/** Series over time of a search. @throws ProblemError traceql.… */
export async function traceMetric(
  session: Session,
  { query, start_ns, end_ns, buckets }: Parsed<'traces.metric'>,
  { bounds, signal }: { readonly bounds: Bounds; readonly signal?: AbortSignal },
): Promise<TraceMetric> {
  const { metric, ...search } = parseSearch(query);
  if (metric === null)
    return refuse('traceql.syntax', query.length, 'this search has no metric', 'end it with | rate() or another');
  const from = start_ns ?? bounds.first_ns ?? 0n;
  const until = end_ns ?? bounds.last_ns ?? from;
  const step = (until - from) / BigInt(buckets) + 1n;
  const window = { start_ns: from, end_ns: until, step_ns: step };
  const compiled = compileMetric({ ...search, metric }, window, caseDialect);
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
  const sorted = sortedSeries(
    [...all.values()].filter(({ values }) => values.some((one) => one !== null)),
    metric,
  );
  const shown = sorted.slice(0, Math.min(metric.limit?.count ?? MOST_SERIES, MOST_SERIES));
  return { start_ns: from, step_ns: step, unit: unitOf(metric), series: shown, omitted: sorted.length - shown.length };
}

const isCounted = ({ function: name }: Metric): boolean => ['rate', 'count', 'histogram'].includes(name);

function unitOf(metric: Metric): string {
  if (metric.function === 'rate') return '1/s';
  return metric.of?.kind === 'intrinsic' && metric.function !== 'histogram' ? 's' : '';
}

function holds({ where }: Metric, value: number): boolean {
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

function sortedSeries(series: readonly Series[], { limit }: Metric): Series[] {
  const mean = ({ values }: Series): number => {
    const known = values.filter((one) => one !== null);
    return known.reduce((sum, one) => sum + one, 0) / Math.max(1, known.length);
  };
  const sign = limit?.kind === 'bottom' ? 1 : -1;
  const keyOf = ({ labels }: Series): string => labels.map(({ value }) => value).join(' ');
  return series.toSorted((a, b) => sign * (mean(a) - mean(b)) || (keyOf(a) < keyOf(b) ? -1 : 1));
}
