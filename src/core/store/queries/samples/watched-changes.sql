-- Where a watched series changes its value: the sample after and the one before; and its first sample, with no before.
-- A recorded gap (NULL) is no change. Times are as recorded; their order is that of the case's clock.
-- floor_s is the usual distance of samples, in milliseconds of three digits: what is shorter cannot have been seen.
-- $1: metric names, comma separated; $2: numbers of series, comma separated, or '' for all.
with sample as (
  select p.series, p.source_id, p.time_ns, p.value, p.time_ns + src.clock_offset_ns as clock_ns
  from point p
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  where s.metric in (select unnest(string_split($1::varchar, ','))) and p.value is not null
    and ($2::varchar = '' or s.series_id in (select try_cast(unnest(string_split($2::varchar, ',')) as integer)))
), stepped as (
  select *, lag(value) over w as before_value, lag(clock_ns) over w as before_clock_ns,
    lag(time_ns) over w as before_ns
  from sample
  window w as (partition by series order by clock_ns, source_id, value)
), distance as (
  select series, try(clock_ns - before_clock_ns) // 1000000 as ms from stepped
), floor as (
  select series, quantile_disc(ms - ms % (10 ** greatest(0, length(ms::varchar) - 3))::bigint, 0.5) / 1e3 as floor_s
  from distance group by series
)
select stepped.series as series_id, source_id, time_ns, clock_ns, value, before_ns, before_value, floor_s
from stepped join floor using (series)
where before_value is null or before_value <> value
order by series_id, clock_ns, source_id, value
