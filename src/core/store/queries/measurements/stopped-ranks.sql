-- After step-series.sql: jobs of whose ranks metrics count the steps, and the rank that stopped first: all stopped, the others at the
-- same step, one at an earlier one, though it had counted with them. No clocks are compared. A rank that never counted with the others
-- (it began later, or skips steps) is none. Samples of each go on after its last step for $2 ns at least: of a process that ended,
-- the last sample may be older than its last step.
, sample as (
  select w.work, w.rank, w.metric, w.series_id, p.source_id, p.time_ns, p.time_ns + src.clock_offset_ns as at_ns, p.value,
    p.value > lag(p.value) over (partition by w.series_id order by p.time_ns) as is_step,
    p.value < lag(p.value) over (partition by w.series_id order by p.time_ns) as is_back
  from point p
  join step_series w on w.series_id = p.series
  join source src on src.source_id = p.source_id
  where w.is_count and w.kind in ('gauge', 'sum') and w.temporality <> 1 and w.work is not null and w.rank <> '' and isfinite(p.value)
),
counter as (
  select work, metric, rank, any_value(series_id) as series_id, any_value(source_id) as source_id, arg_max(value, at_ns) as step,
    max(time_ns) filter (is_step) as stopped_ns,
    max(at_ns) - max(at_ns) filter (is_step) as still_ns
  from sample
  group by work, metric, rank
  having count(distinct series_id) = 1 and count(*) filter (is_back) = 0 and count(*) filter (is_step) >= 3
),
job as (
  select work, metric, count(*)::integer as ranks, max(step) as step, min(still_ns) as still_ns
  from counter
  group by work, metric
  having count(*) >= 3 and count(*) filter (step < (select max(o.step) from counter o where o.work = counter.work and o.metric = counter.metric)) = 1
),
behind as (
  select j.*, c.rank, c.series_id, c.source_id, c.step as own_step, c.stopped_ns
  from job j
  join counter c on c.work = j.work and c.metric = j.metric and c.step < j.step
),
-- By how much it usually was behind the furthest rank, by the samples before its own.
usual as (
  select b.work, b.metric, quantile_cont(o.value - s.value, 0.9) as lag
  from behind b
  join sample s on s.work = b.work and s.metric = b.metric and s.rank = b.rank
  asof join (
    select work, metric, at_ns, max(value) as value from (select s.* from sample s join behind b on b.work = s.work and b.metric = s.metric and b.rank <> s.rank) group by all
  ) o on o.work = s.work and o.metric = s.metric and o.at_ns <= s.at_ns
  where s.time_ns < b.stopped_ns
  group by b.work, b.metric
)
select b.work, b.metric, b.ranks, b.step, b.rank, b.series_id, b.source_id, b.own_step, b.stopped_ns
from behind b
left join usual u using (work, metric)
where b.still_ns >= $2::bigint and coalesce(u.lag, 0) < b.step - b.own_step
order by b.work, b.metric
