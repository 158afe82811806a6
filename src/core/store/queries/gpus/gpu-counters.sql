-- By how much the error counters of each GPU grew within $1 to $2 (nanoseconds on the case's clock), of a sample before it on; null of a
-- metric that has no sample there. Counters that a reset set to zero begin anew; of several series of one metric (by memory, by
-- link, before and after a reset) the one that grew most stands for all. $3: metrics.
with step as (
  select c.canonical_id as entity, s.metric, p.series, p.time_ns + src.clock_offset_ns as clock_ns,
    greatest(p.value - lag(p.value) over (partition by p.series order by p.time_ns), 0) as grown
  from point p
  join source src on src.source_id = p.source_id
  join series s on s.series_id = p.series
  join canonical c on c.entity_id = s.entity
  join entity x on x.entity_id = c.canonical_id
  where x.kind = 'gpu' and s.metric in (select unnest($3::varchar[])) and isfinite(p.value)
    and p.time_ns + src.clock_offset_ns <= $2
),
counter as (
  select entity, metric, series, coalesce(sum(grown), 0) as grown
  from step where clock_ns >= $1
  group by all
)
select entity, metric, max(grown) as grown
from counter
group by all
order by entity, metric
