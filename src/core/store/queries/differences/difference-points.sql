-- Every numeric series in a region and in its baseline. Ranks for Cliff's delta (number-test.ts); `beyond` is how
-- many samples of the baseline lie at least as far out as the region's median.
-- Begins with difference-point-sample.sql.
ranked as (
  select *, rank() over (partition by series order by value) as place, count(*) over (partition by series, value) as ties
  from reported where value is not null
),
bounds as (
  select series, min(low) as low, max(high) as high
  from (select series, quantile_cont(value, 0.01) as low, quantile_cont(value, 0.99) as high from ranked group by series, inside)
  group by series
),
-- Sixteen bars from low to high, the outer ones with what lies beyond; in the logarithm where high is fifty times low
-- (spread.ts).
barred as (
  select r.*, low, high, greatest(0, least(15, floor(16 * case when high <= low then 0
    when low > 0 and high >= 50 * low then ln(greatest(value, low) / low) / ln(high / low)
    else (value - low) / (high - low) end)))::integer as bar
  from ranked r join bounds using (series)
),
figures as (
  select series, any_value(reading) as reading, count(*) filter (inside)::double as region, count(*) filter (not inside)::double as baseline,
    sum((place + (ties - 1) / 2)::double) filter (inside) as ranks, sum((ties * ties - 1)::double) as ties,
    any_value(low) as low, any_value(high) as high,
    (histogram(bar) filter (inside))::varchar as region_bins, (histogram(bar) filter (not inside))::varchar as baseline_bins,
    quantile_cont(value, 0.1) filter (inside) as region_p10, quantile_cont(value, 0.9) filter (inside) as region_p90,
    quantile_cont(value, 0.1) filter (not inside) as baseline_p10, quantile_cont(value, 0.9) filter (not inside) as baseline_p90,
    median(value) filter (inside) as region_median, median(value) filter (not inside) as baseline_median,
    mad(value) filter (not inside) as baseline_mad, min(value) filter (not inside) as baseline_min, max(value) filter (not inside) as baseline_max
  from barred
  group by series
  having region >= 3 and baseline >= 8
),
outer_part as (
  select r.series, least(sum((r.value >= f.region_median)::integer), sum((r.value <= f.region_median)::integer))::double as beyond
  from reported r
  join figures f using (series)
  where not r.inside and r.value is not null
  group by r.series
)
select s.series_id, s.metric, coalesce(s.unit, '') as unit, e.kind || ':' || e.id as entity, coalesce(s.attributes, '') as attributes,
  f.* exclude (series), o.beyond,
  (select count(*)::double from series where entity is not null) as series_count
from figures f
join outer_part o using (series)
join series s on s.series_id = f.series
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
