-- What must be known of a series to go on with it sample by sample (LiveSamples): its last sample in the order of
-- watched-changes.sql, and how often which distance (milliseconds, of three digits) and which value (thousandths) was seen, as JSON objects.
-- $1: metric names, comma separated; $2: numbers of series, comma separated, or '' for all.
with sample as (
  select p.series, s.metric, p.source_id, p.time_ns, p.value, p.time_ns + src.clock_offset_ns as clock_ns
  from point p
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  where s.metric in (select unnest(string_split($1::varchar, ','))) and p.value is not null and s.temporality <> 1
    and ($2::varchar = '' or s.series_id in (select try_cast(unnest(string_split($2::varchar, ',')) as integer)))
), stepped as (
  select *, lag(clock_ns) over w as before_clock_ns, row_number() over w as place
  from sample
  window w as (partition by series order by clock_ns, source_id, value)
)
select series as series_id, any_value(metric) as metric, max(place)::double as samples,
  arg_max(source_id, place) as source_id, arg_max(time_ns, place) as time_ns, arg_max(clock_ns, place) as clock_ns,
  arg_max(value, place) as value,
  to_json(histogram(ms - ms % (10 ** greatest(0, length(ms::varchar) - 3))::bigint))::varchar as distances,
  to_json(histogram(round(value, 3)) filter (isfinite(value)))::varchar as values
from (select *, try(clock_ns - before_clock_ns) // 1000000 as ms from stepped)
group by series
order by series
