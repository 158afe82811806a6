import type { Parsed, TraceMetric } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { parseSearch } from '../../../model/traceql/parse-search.ts';
import { refuse } from '../../../model/traceql/problem.ts';
import { comparedShare, comparedSpans } from '../../analysis/differences/compared-spans.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { caseDialect } from '../../traceql/case-dialect.ts';
import { readComparison } from '../../traceql/compare-spans.ts';
import type { MetricWindow } from '../../traceql/compile-metric.ts';
import {
  allSeries,
  isEveryPointKnown,
  metricWindow,
  type SpanStore,
  shownSeries,
} from '../../traceql/metric-series.ts';
import { tryPattern } from './try-pattern.ts';

interface MetricReading {
  readonly window: MetricWindow;
  readonly buckets: number;
  readonly signal?: AbortSignal;
}

type Bounds = { readonly first_ns: bigint | null; readonly last_ns: bigint | null };

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
  const window = metricWindow(from, end_ns ?? bounds.last_ns ?? from, buckets);
  const reading = { window, buckets, ...(signal && { signal }) };
  const store = storeOf(session, reading);
  if (search.metric.function !== 'compare') return shownSeries({ ...search, metric: search.metric }, store);
  const { metric, rows, share } = await readComparison({ ...search, metric: search.metric }, store, comparedShare);
  return { ...metric, comparison: { share, ...comparedSpans(rows) } };
}

/** Every series of a metric, in the buckets of a timeline, whose end is none of its time. @throws ProblemError traceql.… */
export async function metricOf(
  session: Session,
  input: Pick<Parsed<'traces.metric'>, 'query' | 'buckets'> & { readonly start_ns: bigint; readonly end_ns: bigint },
  signal: AbortSignal,
): Promise<{ readonly series: TraceMetric['series']; readonly isCounted: boolean }> {
  const { metric, ...search } = parseSearch(input.query);
  if (metric === null || metric.function === 'compare')
    return refuse('traceql.unsupported', 0, 'a lane is a metric with a value over time', 'such as { } | rate()');
  const { start_ns, end_ns, buckets } = input;
  const step_ns = (end_ns - start_ns + BigInt(buckets) - 1n) / BigInt(buckets);
  const window = { start_ns, end_ns: end_ns - 1n, step_ns: step_ns > 0n ? step_ns : 1n };
  const series = await allSeries({ ...search, metric }, storeOf(session, { window, buckets, signal }));
  return { series, isCounted: isEveryPointKnown(metric) };
}

const storeOf = (session: Session, { window, buckets, signal }: MetricReading): SpanStore => ({
  ...{ dialect: caseDialect, window, buckets },
  query: async (sql, values) => rowsOf<Record<string, unknown>>(await session.query(sql, values, signal)),
  tryPattern: (pattern) => tryPattern(session, pattern),
});
