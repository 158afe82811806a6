-- Where a watched series changes its value: the sample after and the one before; and its first sample, with no before.
-- A recorded gap (NULL) is no change. Times are as recorded; their order is that of the case's clock.
-- floor_s is the usual distance of samples: what is shorter cannot have been seen. $1: metric names, comma separated.
with sample as (
  select p.series, p.source_id, p.time_ns, p.value, p.time_ns + src.clock_offset_ns as clock_ns
  from point p
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  where s.metric in (select unnest(string_split($1::varchar, ','))) and p.value is not null
), stepped as (
  select *, lag(value) over w as before_value, lag(clock_ns) over w as before_clock_ns,
    lag(time_ns) over w as before_ns
  from sample
  window w as (partition by series order by clock_ns, source_id, value)
), floor as (
  select series, median(try(clock_ns - before_clock_ns)) / 1e9 as floor_s from stepped group by series
)
select stepped.series as series_id, source_id, time_ns, clock_ns, value, before_ns, before_value, floor_s
from stepped join floor using (series)
where before_value is null or before_value <> value
order by series_id, clock_ns, source_id, value
