import { z } from 'zod';
import type { TraceMetric } from '../../model/contract/index.ts';
import { fail, ProblemError } from '../../model/problem.ts';
import type { SqlValue } from '../../model/storage/engine.ts';
import type { FleetValues } from '../../model/storage/fleet-store.ts';
import { parseSearch } from '../../model/traceql/parse-search.ts';
import { refuse } from '../../model/traceql/problem.ts';
import { comparedShare, comparedSpans } from '../analysis/differences/compared-spans.ts';
import { type Pattern, RELATED_NS } from '../traceql/bindings.ts';
import { clickhouseDialect } from '../traceql/clickhouse-dialect.ts';
import { readComparison } from '../traceql/compare-spans.ts';
import { compileSearch, type TraceOrder } from '../traceql/compile-search.ts';
import { metricWindow, type SpanStore, shownSeries } from '../traceql/metric-series.ts';
import { fleetQueries } from './queries/index.ts';
import { type FleetQuestion, requireTable, rowsOf, wholeNumber } from './question.ts';

const matchRow = z.object({
  trace_id: z.string(),
  matches: z.number(),
  longest_ns: wholeNumber,
  ref: z.string(),
  traces: z.number(),
  spans: z.number(),
});

const headRow = z.object({
  trace_id: z.string(),
  start_ns: wholeNumber,
  duration_ms: z.number(),
  spans: z.number(),
  errors: z.number(),
  services: z.number(),
  root_recorded: z.union([z.boolean(), z.number()]).transform(Boolean),
  root_service: z.string(),
  root_name: z.string(),
});

export interface FleetSearch {
  readonly query: string;
  readonly order: TraceOrder;
  readonly limit: number;
}

/** Traces of a fleet that a search of TraceQL finds, as in a case. @throws ProblemError traceql.* */
export async function searchFleet(question: FleetQuestion, { query, order, limit }: FleetSearch) {
  await requireTable(question.store, 'traces', question.signal);
  const { from_ns, until_ns } = question.window;
  const window = { start_ns: from_ns, end_ns: until_ns };
  const search = parseSearch(query);
  if (search.metric)
    refuse(
      'traceql.unsupported',
      query.lastIndexOf('|'),
      'this search has a metric and finds no traces',
      'ask for its series',
    );
  const { sql, values, patterns } = compileSearch(search, { window, order, limit }, clickhouseDialect);
  for (const pattern of patterns) await tryPattern(question, pattern);
  const matches = await rowsOf(matchRow, question, sql, boundTo(values));
  const heads = await headsOf(
    question,
    matches.map(({ trace_id }) => trace_id),
  );
  const traces = matches.flatMap(({ trace_id, matches: matched, longest_ns, ref }) => {
    const head = heads.get(trace_id);
    return head ? [{ ...head, matched, longest_ms: Number(longest_ns) / 1e6, ref }] : [];
  });
  const trace_count = matches[0]?.traces ?? 0;
  return { traces, trace_count, span_count: matches[0]?.spans ?? 0, truncated: trace_count > matches.length };
}

/** Labels are texts, all else numbers; of what has no number, null. */
const metricRow = z
  .object({ bucket: z.number() })
  .catchall(z.union([z.string(), z.number(), z.null()]))
  .refine((row) => Object.keys(row).every((name) => name === 'bucket' || /^(?:group|value)_\d+$/.test(name)));

const comparedRow = z.union([
  z.strictObject({
    inside: z.union([z.boolean(), z.number()]).transform(Boolean),
    bucket: z.number(),
    spans: z.number(),
  }),
  z.strictObject({
    what: z.enum(['value', 'total']),
    ...{ attribute: z.string(), value: z.string() },
    ...{ region: z.number(), baseline: z.number(), squares: z.number(), products: z.number() },
    distinct_values: z.number(),
  }),
]);

/** The values of a search by the names of its parameters. */
const boundTo = (values: readonly SqlValue[]): FleetValues =>
  Object.fromEntries(values.map((value, i) => [`p${i + 1}`, typeof value === 'bigint' ? value : String(value)]));

/** Series over time of a search in a fleet, as in a case. @throws ProblemError traceql.* */
export async function fleetMetric(
  question: FleetQuestion,
  { query, buckets }: { readonly query: string; readonly buckets: number },
): Promise<TraceMetric> {
  const { store, window, signal } = question;
  await requireTable(store, 'traces', signal);
  const { metric, ...search } = parseSearch(query);
  if (metric === null)
    return refuse('traceql.syntax', query.length, 'this search has no metric', 'end it with | rate() or another');
  const storeOf = (row: typeof metricRow | typeof comparedRow): SpanStore => ({
    ...{ dialect: clickhouseDialect, buckets, window: metricWindow(window.from_ns, window.until_ns, buckets) },
    query: (sql, values) => rowsOf(row, question, sql, boundTo(values)),
    tryPattern: (pattern) => tryPattern(question, pattern),
  });
  if (metric.function !== 'compare') return shownSeries({ ...search, metric }, storeOf(metricRow));
  const read = await readComparison({ ...search, metric }, storeOf(comparedRow), comparedShare);
  return { ...read.metric, comparison: { share: read.share, ...comparedSpans(read.rows) } };
}

/** @throws ProblemError traceql.regex at the pattern that RE2 refuses */
async function tryPattern({ store, signal }: FleetQuestion, { text, at }: Pattern): Promise<void> {
  try {
    await store.query("select match('', {pattern:String}) as matches", { pattern: text }, signal);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'archive.refused') throw error;
    refuse('traceql.regex', at, 'this pattern cannot be used', 'use RE2 syntax; patterns match the whole text');
  }
}

/** Ids of one statement: they are in its address. */
const MOST_IDS = 100;

type Head = z.output<typeof headRow>;

async function headsOf(question: FleetQuestion, ids: readonly string[]): Promise<ReadonlyMap<string, Head>> {
  const heads = new Map<string, Head>();
  const { from_ns, until_ns } = question.window;
  const around = { from_ns: from_ns - RELATED_NS, until_ns: until_ns + RELATED_NS };
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const some = ids.slice(at, at + MOST_IDS);
    const values = { ...((await timesOf(question, some)) ?? around), ids: some };
    for (const head of await rowsOf(headRow, question, fleetQueries.traceHeads, values)) heads.set(head.trace_id, head);
  }
  return heads;
}

/** When the spans of traces begin, by a table that the exporter makes beside that of spans; undefined: there is none, or it has none of them. */
async function timesOf({ store, signal }: FleetQuestion, ids: readonly string[]) {
  const times = await store.traceTimes(signal);
  if (times === null) return undefined;
  const row = z.object({ first_ns: wholeNumber, last_ns: wholeNumber });
  const [found] = await rowsOf(row, { store, signal }, fleetQueries.traceTimes, { times, ids });
  return found && { from_ns: found.first_ns, until_ns: found.last_ns + 1_000_000_000n };
}

const spanRow = z.object({
  span_id: z.string(),
  parent_span_id: z.string(),
  service: z.string(),
  name: z.string(),
  kind: z.string(),
  status: z.string(),
  status_message: z.string(),
  start_ns: wholeNumber,
  duration_ns: wholeNumber,
  attributes: z.record(z.string(), z.string()),
  resource_attributes: z.record(z.string(), z.string()),
});

const MOST_SPANS = 20_000;

/** One trace of a fleet. @throws ProblemError trace.unknown */
export async function fleetTrace(question: FleetQuestion, trace_id: string) {
  await requireTable(question.store, 'traces', question.signal);
  const id = trace_id.toLowerCase().padStart(32, '0');
  const times = (await timesOf(question, [id])) ?? question.window;
  const values = { ...times, trace_id: id, limit: MOST_SPANS + 1 };
  const spans = await rowsOf(spanRow, question, fleetQueries.traceSpans, values);
  if (spans.length === 0)
    fail('trace.unknown', `the archive has no trace ${id} in this time`, { hint: 'set --from and --to around it' });
  return { trace_id: id, spans: spans.slice(0, MOST_SPANS), truncated: spans.length > MOST_SPANS };
}
