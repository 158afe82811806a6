-- After step-series.sql: the steps of each process of a job, as metrics state them. A counter counts them: from one sample with new
-- steps to the next one these were done. Gauges, histograms and summaries state what one took. Only where they change was a step done,
-- since exporters repeat the last value of a program that hangs. Times of steps count for jobs of which several ranks have
-- them, or whose steps are counted, since other programs have steps too. They count before counters, which do not separate a slow rank from those that wait for it.
, counted as (
  select w.series_id, w.work, w.rank, w.temporality, p.time_ns, p.time_ns + src.clock_offset_ns as end_ns, p.value,
    case when w.temporality = 1 then p.value else p.value - lag(p.value) over (partition by w.series_id order by p.time_ns) end as done
  from point p
  join step_series w on w.series_id = p.series
  join source src on src.source_id = p.source_id
  where w.is_count and w.kind in ('gauge', 'sum') and w.work is not null and isfinite(p.value)
),
-- As in step-counters.sql: most samples of what is no count are no whole numbers, or fall.
counter as (
  select series_id, work, rank, max(end_ns) as sampled_ns
  from counted
  group by series_id, work, rank
  having count(*) filter (done > 0) >= 3 and avg((value = floor(value) and coalesce(done, 0) >= 0)::integer) >= 0.9
  qualify row_number() over (partition by work, rank order by count(*) desc, series_id) = 1
),
advanced as (
  select c.work, c.rank, c.end_ns, c.done, case when c.temporality <> 1 then c.value end as step, lag(c.end_ns) over (partition by c.series_id order by c.time_ns) as before_ns
  from counted c
  join counter using (series_id)
  where c.done is null or c.done <> 0
),
grown as (
  select w.series_id, w.work, w.rank, w.metric, w.unit_ms, d.time_ns, d.time_ns + src.clock_offset_ns as end_ns,
    case when w.temporality = 1 then d.count else d.count - lag(d.count) over own end as done,
    case when w.temporality = 1 then d.sum else d.sum - lag(d.sum) over own end as spent
  from distribution d
  join step_series w on w.series_id = d.series
  join source src on src.source_id = d.source_id
  where w.is_time and w.unit_ms is not null and w.work is not null and isfinite(d.count) and isfinite(d.sum)
  window own as (partition by w.series_id order by d.time_ns)
),
sampled as (
  select w.series_id, w.work, w.rank, w.metric, p.time_ns, p.time_ns + src.clock_offset_ns as end_ns, w.unit_ms * p.value / 1e3 as seconds,
    p.value is distinct from lag(p.value) over (partition by w.series_id order by p.time_ns) as is_new
  from point p
  join step_series w on w.series_id = p.series
  join source src on src.source_id = p.source_id
  where w.is_time and w.kind = 'gauge' and w.unit_ms is not null and w.work is not null and isfinite(p.value) and p.value > 0
),
stated_time as (
  select series_id, work, rank, metric, 1 as place, time_ns, end_ns, unit_ms * spent / done / 1e3 as seconds, done, true as is_new from grown where done > 0 and spent > 0
  union all
  select series_id, work, rank, metric, 2, time_ns, end_ns, seconds, null, is_new from sampled
),
compared as (
  select work, metric
  from stated_time
  group by work, metric, place
  having count(distinct rank) filter (rank <> '') > 1 or work in (select work from counter)
  qualify row_number() over (partition by work order by place, count(distinct rank) desc, count(*) desc, metric) = 1
),
timer as (
  select work, rank, series_id
  from stated_time
  join compared using (work, metric)
  group by work, rank, series_id
  qualify row_number() over (partition by work, rank order by count(*) desc, series_id) = 1
),
timed as (
  select t.*, lag(t.end_ns) over own as before_ns, median(t.since_ns) over (partition by t.series_id) as usual_ns
  from (select *, time_ns - lag(time_ns) over (partition by series_id order by time_ns) as since_ns from stated_time) t
  join timer using (series_id, work, rank)
  where t.is_new
  window own as (partition by t.series_id order by t.time_ns)
),
-- Of a time in which a gauge was not recorded nothing is known.
spaced as (
  select work, rank, greatest(coalesce(before_ns, end_ns - took_ns), case when done is null then end_ns - greatest(took_ns, coalesce(usual_ns, 0)::bigint) else 0 end) as start_ns,
    end_ns, seconds, done
  from (select *, (least(seconds, 86400.0) * 1e9)::bigint as took_ns from timed)
  union all
  select work, rank, before_ns, end_ns, (end_ns - before_ns) / 1e9 / done, done
  from advanced a
  where done > 0 and before_ns < end_ns and not exists (from timer t where t.work = a.work and t.rank = a.rank)
),
took as (
  select hash(s.work, s.rank) as process, s.work, s.rank, s.start_ns, s.end_ns, s.seconds, s.done, a.step
  from spaced s
  asof left join (select work, rank, end_ns, step from advanced where step is not null) a on a.work = s.work and a.rank = s.rank and a.end_ns <= s.end_ns
  -- What counts for the whole job is no process beside its ranks.
  where s.rank <> '' or s.work not in (select work from spaced where rank <> '')
),
process as (select distinct work as entity, rank, '' as job, '' as place, process from took)
