-- How large the numbers of spans are in a region and in its baseline: durations by service and span name (`dim` 1), and
-- attributes of more than twenty different numbers (`dim` 0). A side of a trace counts as one value, the mean of its spans;
-- ranks for the test of Mann and Whitney (number-test.ts). `rises` is how closely the number follows the time: what only
-- counts on differs at any two times.
-- Goes on from difference-span-values.sql, and returns its rows too. A text is tried as a number once a different
-- value, there; where some values of an attribute are no numbers, those that look like one are texts, too.
numeric as materialized (select key, value, trace, inside, x from grouped where dim = 0 and key in (select key from keys where dim = 0 and is_number)),
clustered as (
  select 0 as dim, key, -1 as service, trace, inside, sum(value::double * x) / sum(x) as value, any_value(start_ns) as start_ns
  from numeric join cluster using (trace, inside) where isfinite(value::double) group by key, trace, inside
  union all
  select 1, name::varchar, service, trace, inside, avg(took_ns / 1e6), min(start_ns) from sample where name is not null
  group by name, service, trace, inside
),
ranked as (
  select *, rank() over (partition by dim, key, service order by value) as place,
    count(*) over (partition by dim, key, service, value) as ties
  from clustered
),
bounds as (
  select dim, key, service, min(low) as low, max(high) as high
  from (select dim, key, service, quantile_cont(value, 0.01) as low, quantile_cont(value, 0.99) as high from ranked group by dim, key, service, inside)
  group by dim, key, service
),
-- Sixteen bars from low to high, the outer ones with what lies beyond; in the logarithm where high is fifty times low
-- (spread.ts).
barred as (
  select r.*, low, high, greatest(0, least(15, floor(16 * case when high <= low then 0
    when low > 0 and high >= 50 * low then ln(greatest(value, low) / low) / ln(high / low)
    else (value - low) / (high - low) end)))::integer as bar
  from ranked r join bounds using (dim, key, service)
),
figures as (
  select dim, key, service, count(*) filter (inside)::double as region, count(*) filter (not inside)::double as baseline,
    sum(place + (ties - 1) / 2) filter (inside)::double as ranks, sum(ties * ties - 1)::double as ties,
    median(value) filter (inside) as region_median, median(value) filter (not inside) as baseline_median,
    any_value(low) as low, any_value(high) as high,
    (histogram(bar) filter (inside))::varchar as region_bins, (histogram(bar) filter (not inside))::varchar as baseline_bins,
    quantile_cont(value, 0.1) filter (inside) as region_p10, quantile_cont(value, 0.9) filter (inside) as region_p90,
    quantile_cont(value, 0.1) filter (not inside) as baseline_p10, quantile_cont(value, 0.9) filter (not inside) as baseline_p90,
    count(distinct value)::double as distinct_values, bool_and(value = trunc(value)) as is_whole, coalesce(corr(value, start_ns), 0) as rises
  from barred
  group by dim, key, service
)
select 'number' as what, f.dim, coalesce(n.text, f.key) as key, coalesce(e.id, '') as service, f.region, f.baseline, f.ranks, f.ties, f.region_median, f.baseline_median,
  f.low, f.high, f.region_bins, f.baseline_bins, f.region_p10, f.region_p90, f.baseline_p10, f.baseline_p90,
  f.distinct_values, f.is_whole, f.rises
from figures f
left join name n on n.name_id = case when f.dim = 1 then try_cast(f.key as integer) end
left join entity e on e.entity_id = f.service
where f.region >= 3 and f.baseline >= 3 and (f.dim = 1 or f.distinct_values > 20)
union all by name
from value_fact
