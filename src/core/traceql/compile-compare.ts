import type { SqlValue } from '../../model/storage/engine.ts';
import type { CompareMetric, TraceSearch } from '../../model/traceql/syntax.ts';
import { Bindings, type Pattern } from './bindings.ts';
import type { MetricWindow } from './compile-metric.ts';
import { addSet, type Building, compileSet, keptSpans, withRows } from './compile-search.ts';
import type { Dialect } from './dialect.ts';

interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export interface CompiledCompare {
  readonly patterns: readonly Pattern[];
  /** Rows: inside (of the selection), bucket (a number from 0), spans. */
  readonly counts: Statement;
  /**
   * Rows: what ('value', 'total'), attribute (as a search writes it), value, what share-test.ts tests: region (the selection),
   * baseline, squares, products; and distinct_values of the attribute. Of each attribute the most frequent values of either side.
   * @param share one trace of so many is read
   */
  valuesOf(share: number): Statement;
}

/** `compare()` over the spans of a case or of a fleet. */
export function compileCompare(
  search: TraceSearch & { readonly metric: CompareMetric },
  window: MetricWindow,
  dialect: Dialect,
): CompiledCompare {
  const { selection, between, most } = search.metric;
  const bindings = new Bindings(window, dialect);
  const building: Building = { bindings, sets: [] };
  const found = keptSpans(search, building);
  const selected = compileSet(selection, 'window', building);
  const inTime = between
    ? ` and c.start_ns between ${bindings.bind(BigInt(between[0]))} and ${bindings.bind(BigInt(between[1]))}`
    : '';
  const sided = addSet(
    building,
    `select c.*, (c.trace_hi, c.trace_lo, c.span_id) in (select (trace_hi, trace_lo, span_id) from ${selected})${inTime} as inside
     from ${found} c`,
  );
  const values = [...bindings.values];
  const bucket = dialect.bucket('start_ns', bindings.bind(window.start_ns), bindings.bind(window.step_ns));
  const head = `with recursive ${[...bindings.commons, ...building.sets].join(',\n')}`;
  return {
    patterns: bindings.patterns,
    counts: {
      sql: `${head}\nselect inside, ${bucket}::double as bucket, count(*)::double as spans from ${sided} group by inside, bucket`,
      values: bindings.values,
    },
    valuesOf: (share) => ({
      sql: `${head},${valuesSql(withRows(sided, [], building), { share, most, dialect })}`,
      values,
    }),
  };
}

/** Sums are over the sides of traces, which are the clusters of share-test.ts. */
function valuesSql(
  rows: string,
  { share, most, dialect }: { readonly share: number; readonly most: number; readonly dialect: Dialect },
): string {
  const { traceNumber, sampled, pairs, materialized } = dialect;
  const trace = traceNumber('c.trace_hi', 'c.trace_lo');
  return `
sample as ${materialized} (
  select ${trace} as trace, c.inside as inside, ${sampled} ${rows} where ${trace} % ${share} = 0
),
cluster as ${materialized} (select trace, inside, count(*)::double as n from sample group by trace, inside),
pair as (${pairs('sample')}),
grouped as ${materialized} (
  select attribute, value, trace, inside, sum(x)::double as x from pair where value is not null
  group by attribute, value, trace, inside
),
summed as ${materialized} (
  select attribute, value, coalesce(sum(x) filter (where inside), 0) as region,
    coalesce(sum(x) filter (where not inside), 0) as baseline, sum(x * x) as squares, sum(x * n) as products
  from grouped join cluster using (trace, inside)
  group by attribute, value
),
ordered as (
  select *, row_number() over (partition by attribute order by region desc, value) as region_place,
    row_number() over (partition by attribute order by baseline desc, value) as baseline_place,
    cast(count(*) over (partition by attribute) as double) as distinct_values
  from summed
)
select 'value' as what, attribute, value, region, baseline, squares, products, distinct_values from ordered
where (region_place <= ${most} and region > 0) or (baseline_place <= ${most} and baseline > 0)
union all
select 'total', '', '', coalesce(sum(n) filter (where inside), 0), coalesce(sum(n) filter (where not inside), 0),
  coalesce(sum(n * n), 0), 0, 0
from cluster`;
}
