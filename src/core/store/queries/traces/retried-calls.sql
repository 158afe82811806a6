-- Calls of each client operation by the minute, and how many of them were attempts after an attempt of the same parent that had
-- failed: a parent that calls often is no retry. Only traces with a failed call are looked at for these.
-- `callee`: what the entries below these calls mostly belong to; -1 when none was recorded.
with client as (
  select s.service, s.name, s.trace_hi, s.trace_lo, s.parent_id, s.span_id, s.start_ns + src.clock_offset_ns as start_ns, s.status = 2 as failed
  from span s
  join source src using (source_id)
  where s.kind = 3
),
troubled as (select distinct trace_hi, trace_lo from client where failed),
request as (
  select service, name, min(start_ns) as start_ns, least(count(*) filter (failed), count(*) - 1) as retries,
    'span:' || printf('%016x%016x', trace_hi, trace_lo) || '/' || printf('%016x', arg_max(span_id, start_ns)) as ref
  from client semi join troubled using (trace_hi, trace_lo)
  where parent_id <> 0
  group by service, name, trace_hi, trace_lo, parent_id
  having count(*) > 1 and count(*) filter (failed) > 0
),
again as (
  select service, name, start_ns // 60000000000 as minute, sum(retries) as retries, count(*) as requests, arg_max(ref, retries) as ref
  from request group by all
),
answered as (
  select x.service, x.name, mode(c.canonical_id) as callee
  from client x
  semi join troubled using (trace_hi, trace_lo)
  join span s on s.trace_hi = x.trace_hi and s.trace_lo = x.trace_lo and s.parent_id = x.span_id
  join canonical c on c.entity_id = s.service
  group by all
),
counted as (
  select service, name, start_ns // 60000000000 as minute, count(*) as calls, count(*) filter (failed) as failures
  from client group by all
)
select c.canonical_id as service, n.text as name, counted.minute, sum(calls)::double as calls, sum(failures)::double as failures,
  coalesce(sum(retries), 0)::double as retries, coalesce(sum(requests), 0)::double as requests,
  coalesce(max(again.ref), '') as ref, coalesce(max(callee), -1)::integer as callee
from counted
join canonical c on c.entity_id = counted.service
left join name n on n.name_id = counted.name
left join again using (service, name, minute)
left join answered on answered.service = counted.service and answered.name is not distinct from counted.name
group by c.canonical_id, n.text, counted.minute
order by service, name, minute
