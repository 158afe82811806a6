-- By how much the error counters of hardware grew, in each of $3 parts of the time $1 to $2. Counters that a reset set to zero begin anew;
-- of several series of one metric (by memory, before and after a reset) the one that grew most stands for all. $4: metrics.
with step as (
  select c.canonical_id as entity, s.metric, p.series, p.source_id, p.time_ns, p.time_ns + src.clock_offset_ns as clock_ns, p.value,
    greatest(p.value - lag(p.value) over (partition by p.series order by p.time_ns), 0) as grown
  from point p
  join source src on src.source_id = p.source_id
  join series s on s.series_id = p.series
  join canonical c on c.entity_id = s.entity
  where s.metric in (select unnest($4::varchar[])) and isfinite(p.value)
),
counter as (
  select entity, metric, series, coalesce(sum(grown), 0) as grown, arg_max(value, time_ns) as value, max(time_ns) as last_ns
  from step group by all
),
fullest as (
  select entity, metric, arg_max(series, (grown, value)) as series from counter group by all
)
select c.entity, c.metric, c.grown, c.value, 'metric:' || c.series || '@' || c.last_ns as ref,
  least(floor((s.clock_ns - $1)::double * ($3 / greatest($2 - $1, 1))), $3 - 1)::integer as part, coalesce(sum(s.grown), 0) as part_grown
from fullest f
join counter c on c.entity = f.entity and c.metric = f.metric and c.series = f.series
join step s on s.series = f.series
where s.clock_ns between $1 and $2
group by all
order by c.entity, c.metric, part
