-- After steps-of-metrics.sql: the processes with steps, as in step-processes.sql. `steps` is null where only gauges state what a step
-- took, and `last_step` where nothing counts them; `sampled_ns`: the last sample of what counts them. `stood_…`: when that was collected and did not grow,
-- for more than $2 seconds and $3 usual steps.
, summed as (
  select process, sum(done)::double as timed_steps, median(seconds) as usual_s, min(start_ns) as first_ns, max(end_ns) as last_ns,
    list(start_ns / 1e9) filter (few) as starts_s, list(end_ns / 1e9) filter (few) as ends_s, list(seconds) filter (few) as lengths_s
  from took, (select count(*) <= 2000000 as few from took)
  group by process
),
total as (
  select hash(work, rank) as process, sum(done) filter (done > 0)::double as steps, arg_max(step, end_ns) as last_step, max(end_ns) filter (done > 0) as last_ns
  from advanced
  group by work, rank
),
run as (
  select hash(work, rank) as process, min(end_ns) / 1e9 as from_s, max(end_ns) / 1e9 as until_s
  from (
    select work, rank, c.end_ns, count(*) filter (c.done is null or c.done <> 0) over (partition by series_id order by c.time_ns) as run
    from counted c
    join counter using (series_id, work, rank)
  )
  group by work, rank, run
),
stood as (
  select process, list(from_s) as stood_from_s, list(until_s) as stood_until_s
  from run
  join summed using (process)
  where until_s - from_s > greatest($2::double, $3::double * usual_s)
  group by process
)
select p.entity, p.rank, p.job, p.place, coalesce(t.steps, s.timed_steps) as steps, s.usual_s, t.last_step, s.first_ns, coalesce(t.last_ns, s.last_ns) as last_ns,
  s.starts_s, s.ends_s, s.lengths_s, null::bigint as done_ns, k.sampled_ns, o.stood_from_s, o.stood_until_s
from summed s
join process p using (process)
left join total t using (process)
left join (select hash(work, rank) as process, sampled_ns from counter) k using (process)
left join stood o using (process)
order by p.entity, p.rank, p.job, p.place
limit 20000
