-- After step-series.sql, before step-figures.sql: the steps of each rank of a job, as far as metrics state what they took. Of the metrics
-- of a job that several ranks have, histograms and summaries count before gauges, and these before counters, between whose samples all
-- ranks wait for the slowest one. Of a histogram the mean between two collections is known; of a gauge
-- the latest step, and as many are done between two samples as take so long. $2: fewest such steps of a rank; $3: ranks of
-- a job, at most: the one with the most steps, and those whose steps differ most.
, grown as (
  select w.work, w.rank, w.metric, 1 as place, w.unit_ms, d.time_ns + src.clock_offset_ns as time_ns,
    case when w.temporality = 1 then d.count else d.count - lag(d.count) over own end as steps,
    case when w.temporality = 1 then d.sum else d.sum - lag(d.sum) over own end as spent
  from distribution d
  join step_series w on w.series_id = d.series
  join source src on src.source_id = d.source_id
  where w.is_time and w.unit_ms is not null and w.work is not null and w.rank <> '' and isfinite(d.count) and isfinite(d.sum)
  window own as (partition by w.series_id order by d.time_ns)
),
sampled as (
  select w.series_id, w.work, w.rank, w.metric, w.is_count, w.unit_ms, p.time_ns + src.clock_offset_ns as time_ns, p.value,
    case when w.temporality = 1 then p.value else p.value - lag(p.value) over own end as steps,
    (p.time_ns - lag(p.time_ns) over own) / 1e6 as since_ms
  from point p
  join step_series w on w.series_id = p.series
  join source src on src.source_id = p.source_id
  where w.kind in ('gauge', 'sum') and (w.is_count or (w.kind = 'gauge' and w.unit_ms is not null)) and w.work is not null and w.rank <> '' and isfinite(p.value)
  window own as (partition by w.series_id order by p.time_ns)
),
-- As in step-counters.sql: since the last sample with new steps.
advanced as (
  select *, (time_ns - lag(time_ns) over (partition by series_id order by time_ns)) / 1e6 as count_ms
  from sampled
  where is_count and (steps is null or steps <> 0)
),
took as (
  select work, rank, metric, place, time_ns, unit_ms * spent / steps as took_ms, steps from grown where steps > 0 and spent >= 0
  union all
  select work, rank, metric, 2, time_ns, unit_ms * value, greatest(1, coalesce(since_ms / (unit_ms * value), 1)) from sampled where not is_count and value > 0
  union all
  select work, rank, metric, 3, time_ns, count_ms / steps, steps from advanced where steps > 0 and count_ms > 0
),
compared as (
  select work, metric, place
  from took
  group by work, metric, place
  having count(distinct rank) > 1
  qualify row_number() over (partition by work order by place, count(distinct rank) desc, count(*) desc, metric) = 1
),
chosen as (
  select work, rank, metric, place
  from (
    select work, rank, metric, place, count(*) as samples, sum(steps) as steps, quantile_cont(took_ms, 0.9) / nullif(quantile_cont(took_ms, 0.1), 0) as spread
    from took
    join compared using (work, metric, place)
    group by work, rank, metric, place
    having sum(steps) >= $2::bigint
  )
  qualify row_number() over (partition by work order by steps desc, rank) = 1 or row_number() over (partition by work order by spread desc nulls last, rank) < $3::bigint
),
spaced as (
  select t.work as service, 'rank-' || t.rank as name, t.time_ns, t.time_ns as first_ns, t.took_ms, t.steps
  from took t
  join chosen using (work, rank, metric, place)
),
until as (select null::integer as service, null::bigint as last_ns where false)
