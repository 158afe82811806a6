import type { SqlValue } from '../../model/storage/engine.ts';
import type { CompareMetric, TraceSearch } from '../../model/traceql/syntax.ts';
import { Bindings, type Pattern } from './bindings.ts';
import { caseDialect } from './case-dialect.ts';
import type { MetricWindow } from './compile-metric.ts';
import { addSet, type Building, compileSet, keptSpans, withRows } from './compile-search.ts';

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
   * @param share a power of two: one trace of so many is read
   */
  valuesOf(share: number): Statement;
}

/** `compare()` over the tables of a case: a fleet is not asked for metrics. */
export function compileCompare(
  search: TraceSearch & { readonly metric: CompareMetric },
  window: MetricWindow,
): CompiledCompare {
  const { selection, between, most } = search.metric;
  const bindings = new Bindings(window, caseDialect);
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
  const bucket = caseDialect.bucket('start_ns', bindings.bind(window.start_ns), bindings.bind(window.step_ns));
  const head = `with recursive ${[...bindings.commons, ...building.sets].join(',\n')}`;
  return {
    patterns: bindings.patterns,
    counts: {
      sql: `${head}\nselect inside, ${bucket}::double as bucket, count(*)::double as spans from ${sided} group by all`,
      values: bindings.values,
    },
    valuesOf: (share) => ({ sql: `${head},${valuesSql(withRows(sided, [], building), share, most)}`, values }),
  };
}

/** Sums are over the sides of traces, which are the clusters of share-test.ts. */
const valuesSql = (rows: string, share: number, most: number): string => `
sample as materialized (
  select hash(c.trace_hi, c.trace_lo) as trace, c.inside, s.attributes, s.resource, s.service, s.name, s.kind, s.status
  ${rows} where hash(c.trace_hi, c.trace_lo) & ${share - 1} = 0
),
cluster as materialized (select trace, inside, count(*)::integer as n from sample group by all),
pair as (
  select trace, inside, 'span.' || e.key as attribute, left(e.value, 200) as value, 1 as x
  from (select trace, inside, unnest(map_entries(json_transform(attributes, '"MAP(VARCHAR, VARCHAR)"'))) as e from sample)
  union all
  select s.trace, s.inside, 'resource.' || e.key, left(e.value, 200), x
  from (select trace, inside, resource, count(*)::integer as x from sample group by all) s
  join (select resource_id, unnest(map_entries(json_transform(attributes, '"MAP(VARCHAR, VARCHAR)"'))) as e from resource) r
    on r.resource_id = s.resource
  where e.key <> 'service.name'
  union all
  select trace, inside, 'resource.service.name', id, 1 from sample join entity on entity_id = service
  union all
  select trace, inside, 'name', text, 1 from sample join name on name_id = sample.name
  union all
  select trace, inside, 'status', ['unset', 'ok', 'error'][status + 1], 1 from sample
  union all
  select trace, inside, 'kind', ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'][kind + 1], 1 from sample
),
grouped as materialized (
  select attribute, value, trace, inside, sum(x)::integer as x from pair where value is not null group by all
),
summed as materialized (
  select attribute, value, coalesce(sum(x::double) filter (inside), 0) as region,
    coalesce(sum(x::double) filter (not inside), 0) as baseline, sum(x::double * x) as squares, sum(x::double * n) as products
  from grouped join cluster using (trace, inside)
  group by attribute, value
),
ordered as (
  select *, row_number() over (partition by attribute order by region desc, value) as region_place,
    row_number() over (partition by attribute order by baseline desc, value) as baseline_place,
    count(*) over (partition by attribute)::double as distinct_values
  from summed
)
select 'value' as what, attribute, value, region, baseline, squares, products, distinct_values from ordered
where (region_place <= ${most} and region > 0) or (baseline_place <= ${most} and baseline > 0)
union all
select 'total', '', '', coalesce(sum(n::double) filter (inside), 0), coalesce(sum(n::double) filter (not inside), 0),
  coalesce(sum(n::double * n), 0), 0, 0
from cluster`;
