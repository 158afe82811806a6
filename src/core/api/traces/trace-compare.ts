import type { TraceMetric } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { CompareMetric, TraceSearch } from '../../../model/traceql/syntax.ts';
import { falseDiscoveryRates } from '../../analysis/differences/false-discovery.ts';
import { type ShareCounts, shareChance } from '../../analysis/differences/share-test.ts';
import { shareFor } from '../../analysis/differences/span-differences.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { compileCompare } from '../../traceql/compile-compare.ts';
import type { MetricWindow } from '../../traceql/compile-metric.ts';
import { tryPattern } from './try-pattern.ts';

export interface MetricReading {
  readonly window: MetricWindow;
  readonly buckets: number;
  readonly signal?: AbortSignal;
}

/** Spans whose attributes are read; of more, whole traces by chance. */
const MOST_SPANS = 100_000;
/** Beyond these, differences are small. */
const MOST_VALUES = 1000;
const SIDES = ['selection', 'baseline'] as const;

interface CountRow {
  readonly inside: boolean;
  readonly bucket: number;
  readonly spans: number;
}
interface ValueRow extends ShareCounts {
  readonly what: 'value' | 'total';
  readonly attribute: string;
  readonly value: string;
  readonly distinct_values: number;
}

/** What differs between the spans found that a selection has and the others. @throws ProblemError traceql.regex */
export async function compareSpans(
  session: Session,
  search: TraceSearch & { readonly metric: CompareMetric },
  { window, buckets, signal }: MetricReading,
): Promise<TraceMetric> {
  const compiled = compileCompare(search, window);
  for (const pattern of compiled.patterns) await tryPattern(session, pattern);
  const read = async <T>({ sql, values }: ReturnType<typeof compiled.valuesOf>): Promise<T[]> =>
    rowsOf<T>(await session.query(sql, values, signal));
  const counts = await read<CountRow>(compiled.counts);
  const all = counts.reduce((sum, { spans }) => sum + spans, 0);
  const share = shareFor(Math.max(1, all), MOST_SPANS);
  const rows = await read<ValueRow>(compiled.valuesOf(share));
  const series = SIDES.map((side) => {
    const values = Array<number>(buckets).fill(0);
    for (const { inside, bucket, spans } of counts)
      if (inside === (side === 'selection') && values[bucket] !== undefined) values[bucket] += spans;
    return { labels: [{ name: '__meta_type', value: side }], values };
  });
  const { start_ns, step_ns } = window;
  return { start_ns, step_ns, unit: '', series, omitted: 0, comparison: { share, ...comparedValues(rows) } };
}

function comparedValues(rows: readonly ValueRow[]) {
  const total = rows.find(({ what }) => what === 'total') ?? { region: 0, baseline: 0, squares: 0 };
  const found = rows.filter(({ what }) => what === 'value');
  const isEmpty = total.region === 0 || total.baseline === 0;
  const rates = falseDiscoveryRates(found.map((row) => shareChance(row, total)));
  const difference = ({ region, baseline }: ShareCounts): number =>
    Math.abs(region / Math.max(1, total.region) - baseline / Math.max(1, total.baseline));
  const values = found
    .map((row, at) => ({ row, chance: isEmpty ? null : rates[at]! }))
    .sort((a, b) => difference(b.row) - difference(a.row) || (textOf(a.row) < textOf(b.row) ? -1 : 1))
    .slice(0, MOST_VALUES)
    .map(({ row: { attribute, value, region, baseline }, chance }) => ({
      ...{ attribute, value, chance },
      ...{ selection: region, baseline },
    }));
  const listed = Map.groupBy(found, ({ attribute }) => attribute);
  const cut = [...listed].flatMap(([attribute, own]) =>
    own.length < own[0]!.distinct_values ? [{ attribute, values: own[0]!.distinct_values }] : [],
  );
  return { selection: total.region, baseline: total.baseline, values, cut };
}

const textOf = ({ attribute, value }: ValueRow): string => `${attribute} ${value}`;
