-- How many requests services counted, by slices of time as long as their samples are apart. A fall is a reset and counts nothing.
-- After a sample that was lost the next difference covers several slices: its requests are of all of these in which other counters of
-- the service have samples.
-- $1: failed, $2: passed, $3: all: numbers of the series, comma separated.
with meant as (
  select unnest(string_split(nullif($1::varchar, ''), ','))::integer as series, 'failed' as part
  union all select unnest(string_split(nullif($2::varchar, ''), ','))::integer, 'passed'
  union all select unnest(string_split(nullif($3::varchar, ''), ','))::integer, 'all'
),
sample as (
  select c.canonical_id as service, m.part, s.temporality, p.series, p.time_ns + src.clock_offset_ns as time_ns, p.value
  from point p
  join meant m on m.series = p.series
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  join canonical c on c.entity_id = s.entity
  where p.value is not null and isfinite(p.value)
),
stepped as (
  select service, part, temporality, time_ns, time_ns - lag(time_ns) over own as step_ns,
    case when temporality = 1 then value else value - lag(value) over own end as requests
  from sample
  window own as (partition by series order by time_ns)
),
paced as (
  select service, greatest(1000000000, median(step_ns))::bigint as width_ns
  from stepped
  where step_ns > 0
  group by service
),
counted as (
  select row_number() over () as number, s.service, s.part, s.requests, p.width_ns, s.time_ns // p.width_ns as slice,
    case when s.temporality = 1 then 1 else greatest(1, round(s.step_ns / p.width_ns))::bigint end as slices
  from stepped s
  join paced p using (service)
  where s.requests >= 0
),
slice as (
  select distinct service, slice from counted
),
spread as (
  select service, part, width_ns, slice, requests from counted where slices = 1
  union all
  select c.service, c.part, c.width_ns, o.slice, c.requests / count(*) over (partition by c.number)
  from counted c
  join slice o on o.service = c.service and o.slice between c.slice - c.slices + 1 and c.slice
  where c.slices > 1
)
select service, slice * any_value(width_ns) as time_ns, any_value(width_ns) as width_ns,
  coalesce(sum(requests) filter (part = 'failed'), 0)::double as failed, coalesce(sum(requests) filter (part = 'passed'), 0)::double as passed,
  coalesce(sum(requests) filter (part = 'all'), 0)::double as total
from spread
group by service, slice
order by service, time_ns
