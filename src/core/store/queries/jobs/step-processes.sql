-- After steps-of-spans.sql or steps-of-lines.sql: the processes with steps. `last_step` is null where steps have no numbers. The lists
-- are of their steps, in no order, in seconds since 1970; null: there are more than two million in all.
, summed as (
  select process, count(*)::double as steps, median(seconds) as usual_s, arg_max(step, end_ns) as last_step, min(start_ns) as first_ns, max(end_ns) as last_ns,
    list(start_ns / 1e9) filter (few) as starts_s, list(end_ns / 1e9) filter (few) as ends_s, list(seconds) filter (few) as lengths_s
  from took, (select count(*) <= 2000000 as few from took)
  group by process
)
select p.entity, p.rank, p.job, p.place, s.* exclude (process), f.done_ns, null::bigint as sampled_ns,
  null::double[] as stood_from_s, null::double[] as stood_until_s
from summed s
join process p using (process)
left join (select entity, any_value(done_ns) as done_ns from finished group by entity) f on f.entity = p.entity
order by p.entity, p.rank, p.job, p.place
limit 20000
