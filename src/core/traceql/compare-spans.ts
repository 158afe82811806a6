import type { TraceMetric } from '../../model/contract/index.ts';
import type { CompareMetric, TraceSearch } from '../../model/traceql/syntax.ts';
import { compileCompare } from './compile-compare.ts';
import type { SpanStore } from './metric-series.ts';

const SIDES = ['selection', 'baseline'] as const;

/** One value of an attribute, or all spans, by the sides of traces: see share-test.ts. */
export interface ComparedRow {
  readonly what: 'value' | 'total';
  readonly attribute: string;
  readonly value: string;
  readonly region: number;
  readonly baseline: number;
  readonly squares: number;
  readonly products: number;
  readonly distinct_values: number;
}

/** The spans of each side over time, and the rows that show what differs between them. */
export interface ReadComparison {
  readonly metric: Omit<TraceMetric, 'comparison'>;
  readonly rows: readonly ComparedRow[];
  /** One trace of so many was read for the rows. */
  readonly share: number;
}

/**
 * Reads the spans that a selection has and the others of a search.
 * @param shareFor of so many spans, one trace of how many is read
 * @throws ProblemError traceql.regex
 */
export async function readComparison(
  search: TraceSearch & { readonly metric: CompareMetric },
  store: SpanStore,
  shareFor: (spans: number) => number,
): Promise<ReadComparison> {
  const { dialect, window, buckets } = store;
  const compiled = compileCompare(search, window, dialect);
  for (const pattern of compiled.patterns) await store.tryPattern(pattern);
  const sides = { selection: Array<number>(buckets).fill(0), baseline: Array<number>(buckets).fill(0) };
  let all = 0;
  for (const row of await store.query(compiled.counts.sql, compiled.counts.values)) {
    const [bucket, spans] = [Number(row['bucket']), Number(row['spans'])];
    all += spans;
    const values = sides[row['inside'] ? 'selection' : 'baseline'];
    if (values[bucket] !== undefined) values[bucket] += spans;
  }
  const share = shareFor(Math.max(1, all));
  const { sql, values } = compiled.valuesOf(share);
  const rows = (await store.query(sql, values)).map(
    (row): ComparedRow => ({
      what: row['what'] === 'total' ? 'total' : 'value',
      attribute: String(row['attribute']),
      value: String(row['value']),
      ...numbersOf(row),
    }),
  );
  const series = SIDES.map((side) => ({ labels: [{ name: '__meta_type', value: side }], values: sides[side] }));
  const { start_ns, step_ns } = window;
  return { metric: { start_ns, step_ns, unit: '', series, omitted: 0 }, rows, share };
}

const numbersOf = (row: Readonly<Record<string, unknown>>) => ({
  region: Number(row['region']),
  baseline: Number(row['baseline']),
  squares: Number(row['squares']),
  products: Number(row['products']),
  distinct_values: Number(row['distinct_values']),
});
