-- After steps-of-spans.sql or steps-of-lines.sql: the processes with steps. `last_step` is null where steps have no numbers.
select p.entity, p.rank, p.job, p.place, count(*)::double as steps, median(t.seconds) as usual_s, arg_max(t.step, t.end_ns) as last_step,
  min(t.start_ns) as first_ns, max(t.end_ns) as last_ns, any_value(f.done_ns) as done_ns
from took t
join process p using (process)
left join finished f on f.entity = p.entity
group by p.entity, p.rank, p.job, p.place
order by p.entity, p.rank, p.job, p.place
limit 20000
