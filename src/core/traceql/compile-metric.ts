import type { SqlValue } from '../../model/storage/engine.ts';
import type { Field, SeriesMetric, TraceSearch } from '../../model/traceql/syntax.ts';
import { Bindings, type Pattern, type SearchWindow } from './bindings.ts';
import { keptSpans, labelled, valued } from './compile-search.ts';
import type { Dialect } from './dialect.ts';

export interface CompiledMetric {
  /** Rows: label_0 and so on, bucket (a number from 0), value_0 and so on. Durations in seconds. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly patterns: readonly Pattern[];
  /** Names of the labels; `quantile` and `bucket` are those of the metric itself. */
  readonly labels: readonly string[];
  /** What each value column is called; one of the metric alone is ''. */
  readonly columns: readonly string[];
}

export interface MetricWindow extends SearchWindow {
  /** Length of a bucket. */
  readonly step_ns: bigint;
}

/** A metric over time as one statement. */
export function compileMetric(
  search: TraceSearch & { readonly metric: SeriesMetric },
  window: MetricWindow,
  dialect: Dialect,
): CompiledMetric {
  const { metric } = search;
  const bindings = new Bindings(window, dialect);
  const building = { bindings, sets: [] as string[] };
  const kept = keptSpans(search, building);
  const named = metric.by.length === 0 ? kept : labelled(kept, metric.by, building);
  const from = metric.of ? valued(named, metric.of, building) : named;
  const isLength = metric.of?.kind === 'intrinsic';
  const { terms, columns } = aggregates(metric, { seconds: Number(window.step_ns) / 1e9, isLength, dialect });
  const groups = metric.by.map((_, at) => `label_${at}`);
  if (metric.function === 'histogram')
    groups.push(`${dialect.textOfNumber(`power(2, ceil(log2(greatest(${amount(isLength)}, 1e-9))))`)}`);
  const labels = groups.map((group, at) => `${group} as group_${at}`);
  const bucket = dialect.bucket('start_ns', bindings.bind(window.start_ns), bindings.bind(window.step_ns));
  const sql = `with recursive ${[...bindings.commons, ...building.sets].join(',\n')}
select ${[...labels, `${bucket}::double as bucket`, ...terms.map((term, at) => `(${term})::double as value_${at}`)].join(', ')}
from ${from}${metric.of ? ' where amount is not null' : ''}
group by ${[...groups, bucket].join(', ')}`;
  const own = metric.function === 'histogram' ? ['bucket'] : [];
  return {
    sql,
    values: bindings.values,
    patterns: bindings.patterns,
    labels: [...metric.by.map(fieldText), ...own],
    columns,
  };
}

const amount = (isLength: boolean): string => (isLength ? '(amount / 1e9)' : 'amount');

function aggregates(
  metric: SeriesMetric,
  { seconds, isLength, dialect }: { readonly seconds: number; readonly isLength: boolean; readonly dialect: Dialect },
): { readonly terms: readonly string[]; readonly columns: readonly string[] } {
  const one = (term: string) => ({ terms: [term], columns: [''] });
  switch (metric.function) {
    case 'rate':
      return one(`count(*) / ${seconds}`);
    case 'count':
    case 'histogram':
      return one('count(*)');
    case 'quantile':
      return {
        terms: metric.quantiles.map((share) => dialect.quantile(amount(isLength), share)),
        columns: metric.quantiles.map(String),
      };
    default:
      return one(`${metric.function}(${amount(isLength)})`);
  }
}

const intrinsicTexts: Readonly<Record<string, string>> = {
  ...{ spanId: 'span:id', parentId: 'span:parentID', scopeName: 'instrumentation:name' },
  scopeVersion: 'instrumentation:version',
};

/** As it is written in a search. */
export function fieldText(field: Field): string {
  const own = ownText(field);
  if (!field.ofParent) return own;
  return own.startsWith('.') ? `parent${own}` : `parent.${own}`;
}

const ownText = (field: Field): string =>
  field.kind === 'attribute'
    ? `${field.scope === 'any' ? '' : field.scope}.${field.name}`
    : (intrinsicTexts[field.name] ?? field.name);
