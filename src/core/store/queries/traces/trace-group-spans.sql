-- The spans of one trace as numbers, for many of them: names and services as codes. Found by the directory as in
-- trace-select.sql. $1: trace id as hex, $2: most spans; the earliest first. `spans` is how many there are.
with found as (
  select s.*
  from trace_place p
  join main.span s on s.source_id = p.source_id
    and s.start_ns >= p.slice::bigint * 17179869184 and s.start_ns <= p.slice::bigint * 17179869184 + 17179869183
  where p.key = xor(trace_hi_of($1), trace_lo_of($1)) & 68719476735
    and s.trace_hi = trace_hi_of($1) and s.trace_lo = trace_lo_of($1)
)
select f.span_id, f.parent_id, f.start_ns + src.clock_offset_ns as start_ns, (f.end_ns - f.start_ns)::double as length_ns,
  coalesce(f.name, -1) as name, coalesce(f.service, -1) as service, coalesce(f.resource, -1) as process,
  f.kind, f.status, count(*) over ()::integer as spans
from found f
join source src using (source_id)
order by f.start_ns + src.clock_offset_ns, f.end_ns desc, f.span_id
limit $2::bigint
