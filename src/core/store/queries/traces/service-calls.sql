-- Which service called which, and what asked each from outside: the caller is null. A call is a span whose parent belongs to
-- another service, or to none that was recorded: its duration is what the callee took. A row for each pair, and one for each callee
-- (`is_callee`) with all of its calls. $1, $2: window, nanoseconds on the case's
-- clock; $3: a power of two, one trace of so many is read, whole.
with part as materialized (
  select s.trace_hi, s.trace_lo, s.span_id, s.parent_id, s.status, s.end_ns - s.start_ns as took_ns, c.canonical_id as service,
    s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns as is_inside
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where xor(s.trace_hi, s.trace_lo) & ($3::ubigint - 1) = 0
    -- A call may begin long after what called it.
    and s.start_ns between $1 - src.clock_offset_ns - 600000000000 and $2 - src.clock_offset_ns
)
select grouping(caller.id) = 1 as is_callee, caller.id as caller, callee.id as callee, count(*)::double as calls, (count(*) filter (child.status = 2))::double as errors,
  quantile_cont(child.took_ns, 0.5)::double / 1e6 as p50_ms, quantile_cont(child.took_ns, 0.95)::double / 1e6 as p95_ms
from part child
-- A condition on the child alone in a left join would compare every span with every other one.
left join part parent on parent.trace_hi = child.trace_hi and parent.trace_lo = child.trace_lo and parent.span_id = nullif(child.parent_id, 0)
join entity callee on callee.entity_id = child.service
left join entity caller on caller.entity_id = parent.service
where child.is_inside and parent.service is distinct from child.service
group by grouping sets ((caller.id, callee.id), (callee.id))
order by calls desc, caller, callee
