-- Where a series leaves its limits (value: -1 below, 1 above) and comes back within them (0). Between a limit and its
-- way back the side is kept: hysteresis, so that noise at the limit is one excursion and not a hundred.
-- $1: lines `series,low,low_back,high,high_back` joined by ';', an empty number meaning no such limit.
with line as (select string_split(unnest(string_split($1::varchar, ';')), ',') as field),
given as (
  select field[1]::integer as series, try_cast(field[2] as double) as low, try_cast(field[3] as double) as low_back,
    try_cast(field[4] as double) as high, try_cast(field[5] as double) as high_back
  from line
), judged as (
  select p.series, p.source_id, p.time_ns, p.time_ns + src.clock_offset_ns as clock_ns, p.value,
    case
      when p.value < low then -1
      when p.value > high then 1
      when coalesce(p.value >= low_back, true) and coalesce(p.value <= high_back, true) then 0
    end as side
  from point p
  join given on given.series = p.series
  join source src on src.source_id = p.source_id
  where p.value is not null
), held as (
  select *, coalesce(last_value(side ignore nulls) over (
    partition by series order by clock_ns, source_id, value rows between unbounded preceding and current row), 0) as held_side
  from judged
), stepped as (
  select *, lag(held_side) over w as before_side, lag(value) over w as before_value, lag(time_ns) over w as before_ns,
    lag(clock_ns) over w as before_clock_ns
  from held
  window w as (partition by series order by clock_ns, source_id, value)
), distance as (
  select series, try(clock_ns - before_clock_ns) // 1000000 as ms from stepped
), floor as (
  select series, quantile_disc(ms - ms % (10 ** greatest(0, length(ms::varchar) - 3))::bigint, 0.5) / 1e3 as floor_s
  from distance group by series
)
select stepped.series as series_id, source_id, time_ns, clock_ns, held_side::double as side, before_side::double as before_side,
  value, before_ns, before_value, floor_s
from stepped join floor using (series)
where before_side is null or before_side <> held_side
order by series_id, clock_ns, source_id, value
