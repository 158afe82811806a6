-- Runs of training jobs, by their logs or spans: steps of one rank that ascend. A job that failed and was started again, from its last checkpoint
-- or from the beginning, has several; of each job the rank with the most lines counts, on whatever machines it ran. Behind
-- training-step-spans.sql. Times are corrected; offset_ns is that of the clock of the first line. diverged_ns: the first line of those at
-- the end of a run that state no finite loss, null where the last one does; finite_ns: the last line before it.
, ranked as (
  select service, rank from step_line
  where service is not null and step is not null
  group by service, rank
  having count(*) >= 3
  qualify row_number() over (partition by service order by count(*) desc, rank) = 1
),
followed as (
  select step_line.*, lag(step) over own as step_before
  from step_line
  join ranked using (service, rank)
  where step is not null and isfinite(step)
  window own as (partition by service, resource order by time_ns, step)
),
numbered as (
  select *, sum((step < step_before)::integer) over (partition by service, resource order by time_ns, step) as run from followed
),
finite as (
  select service, resource, run, max(time_ns) filter (has_finite_loss) as finite_ns from numbered group by service, resource, run
)
select n.service, n.resource, arg_min(n.source_id, n.time_ns) as source_id, arg_min(n.offset_ns, n.time_ns) as offset_ns,
  min(n.time_ns) as first_ns, max(n.time_ns) as last_ns, min(n.step) as first_step, max(n.step) as last_step, count(*)::double as lines, any_value(n.kept_in) as kept_in,
  any_value(f.finite_ns) as finite_ns, min(n.time_ns) filter (n.has_finite_loss = false and n.time_ns > coalesce(f.finite_ns, 0)) as diverged_ns,
  arg_min(n.step, n.time_ns) filter (n.has_finite_loss = false and n.time_ns > coalesce(f.finite_ns, 0)) as diverged_step
from numbered n
join finite f on f.service = n.service and f.resource = n.resource and f.run is not distinct from n.run
group by n.service, n.resource, n.run
order by n.service, first_ns, n.resource
