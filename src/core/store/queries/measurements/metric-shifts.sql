-- Every numeric series beside itself: what it was in a baseline and in a window. Cumulative sums become rates per second
-- (a fall is a reset and gives none), deltas are divided by the time since the sample before. What is known of a service
-- as its latency, errors or throughput is left out: that is judged as such. Strongest shifts first, in robust deviations:
-- median absolute deviation, at least a twentieth of the range and a fiftieth of the level.
-- $1, $2: baseline, $3, $4: window, nanoseconds on the case's clock. $5: rows at most; `series` is how many there are.
with sample as (
  select p.series, p.time_ns + src.clock_offset_ns as time_ns, p.value, s.kind = 'sum' and s.monotonic = 1 as counts, s.temporality
  from point p
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  where p.value is not null and isfinite(p.value) and s.entity is not null
    and s.metric not in ('service.latency.p50', 'service.latency.p95', 'service.latency.p99', 'service.error_rate', 'service.throughput')
    and p.time_ns between least($1, $3) - src.clock_offset_ns and greatest($2, $4) - src.clock_offset_ns
),
stepped as (
  select *, value - lag(value) over w as step, (time_ns - lag(time_ns) over w) / 1e9 as seconds
  from sample
  window w as (partition by series order by time_ns)
),
reading as (
  select series, time_ns, counts,
    case
      when not counts then value
      when temporality = 1 then case when seconds > 0 then value / seconds end
      when step >= 0 and seconds > 0 then step / seconds
    end as value
  from stepped
),
figures as (
  select series, bool_or(counts) as is_rate,
    count(value) filter (before)::double as before_points, median(value) filter (before) as before_median,
    mad(value) filter (before) as before_mad, min(value) filter (before) as before_min, max(value) filter (before) as before_max,
    count(value) filter (inside)::double as window_points, median(value) filter (inside) as window_median,
    min(value) filter (inside) as window_min, max(value) filter (inside) as window_max
  from (select *, time_ns >= $1 and time_ns < $2 as before, time_ns >= $3 and time_ns < $4 as inside from reading)
  where value is not null
  group by series
  having before_points >= 2 and window_points >= 1
),
judged as (
  select *, greatest(1.4826 * before_mad, (before_max - before_min) / 20, 0.02 * abs(before_median)) as spread,
    count(*) over ()::double as series_count
  from figures
)
select s.series_id, s.metric, coalesce(s.unit, '') as unit, c.canonical_id as entity, coalesce(s.attributes, '') as attributes,
  is_rate, before_points, before_median, before_min, before_max, spread, window_points, window_median, window_min, window_max,
  series_count
from judged
join series s on s.series_id = judged.series
join canonical c on c.entity_id = s.entity
where window_median <> before_median
order by abs(window_median - before_median) / greatest(spread, 1e-9 * abs(window_median), 1e-300) desc, s.series_id
limit $5::bigint
