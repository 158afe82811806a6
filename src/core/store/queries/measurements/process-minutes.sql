-- By Ingero's sums of each minute: how many CUDA operations a process called, and how often the kernel switched it, of processes that
-- call CUDA at all and of those whose name ($1, a regular expression) is one of a data loader. $2: rows at most.
with counted as (
  select coalesce(c.canonical_id, s.entity) as entity, s.series_id, p.time_ns + src.clock_offset_ns as time_ns, p.value,
    (s.attributes->>'$.source') in ('CUDA', 'DRIVER') as is_cuda, (s.attributes->>'$.operation') = 'sched_switch' as is_switch
  from series s
  join point p on p.series = s.series_id
  join source src on src.source_id = p.source_id
  left join canonical c on c.entity_id = s.entity
  where s.metric = 'ingero.operation.count' and (s.attributes->>'$.per') = 'minute' and isfinite(p.value)
),
minute as (
  select entity, time_ns, coalesce(sum(value) filter (is_cuda), 0)::double as cuda, coalesce(sum(value) filter (is_switch), 0)::double as switches,
    'metric:' || coalesce(arg_max(series_id, value) filter (is_cuda), arg_max(series_id, value) filter (is_switch), arg_max(series_id, value)) || '@' || time_ns as ref
  from counted
  group by entity, time_ns
)
select m.entity, m.time_ns, m.cuda, m.switches, m.ref, coalesce(regexp_matches(e.attributes->>'$.name', $1::varchar, 'i'), false) as is_loader
from minute m
join entity e on e.entity_id = m.entity
where m.entity in (select entity from minute where cuda > 0) or regexp_matches(e.attributes->>'$.name', $1::varchar, 'i')
order by m.time_ns, m.entity
limit $2::bigint
