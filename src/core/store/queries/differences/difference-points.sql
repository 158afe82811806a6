-- Every numeric series in a region and in its baseline. Ranks for Cliff's delta (number-test.ts); `beyond` is how
-- many samples of the baseline lie at least as far out as the region's median.
-- Begins with difference-point-sample.sql.
ranked as (
  select *, rank() over (partition by series order by value) as place, count(*) over (partition by series, value) as ties
  from reported where value is not null
),
figures as (
  select series, any_value(reading) as reading, count(*) filter (inside)::double as region, count(*) filter (not inside)::double as baseline,
    sum((place + (ties - 1) / 2)::double) filter (inside) as ranks, sum((ties * ties - 1)::double) as ties,
    median(value) filter (inside) as region_median, median(value) filter (not inside) as baseline_median,
    mad(value) filter (not inside) as baseline_mad, min(value) filter (not inside) as baseline_min, max(value) filter (not inside) as baseline_max
  from ranked
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
