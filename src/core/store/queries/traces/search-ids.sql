-- Traces whose id is $1, and spans whose id is $2, as hex ('' for none); the first span of each trace. $3: most.
with meant as (
  select s.trace_hi, s.trace_lo, s.span_id, s.start_ns + src.clock_offset_ns as time_ns, (s.end_ns - s.start_ns) / 1e6 as duration_ms,
    s.name, s.service, false as is_span
  from span s
  join source src using (source_id)
  where $1 <> '' and s.trace_hi = trace_hi_of($1) and s.trace_lo = trace_lo_of($1)
  union all
  select s.trace_hi, s.trace_lo, s.span_id, s.start_ns + src.clock_offset_ns, (s.end_ns - s.start_ns) / 1e6, s.name, s.service, true
  from span s
  join source src using (source_id)
  where $2 <> '' and s.span_id = trace_lo_of($2)
),
found as (
  select is_span, trace_hi, trace_lo, case when is_span then span_id else 0 end as own, count(*) as spans,
    arg_min({id: span_id, name: name, service: service, duration_ms: duration_ms}, (time_ns, span_id)) as first, min(time_ns) as time_ns
  from meant
  group by all
)
select printf('%016x%016x', trace_hi, trace_lo) as trace_id,
  'span:' || printf('%016x%016x', trace_hi, trace_lo) || '/' || printf('%016x', first.id) as ref,
  is_span, time_ns, first.duration_ms as duration_ms, coalesce(n.text, '') as name, coalesce(e.id, '') as service, spans::double as spans
from found
left join name n on n.name_id = first.name
left join entity e on e.entity_id = first.service
order by is_span, time_ns
limit $3::integer
