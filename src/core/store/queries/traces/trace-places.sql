-- What the resources of the spans of one trace state, by service (canonical entity). $1: trace id as hex, found by the directory as in
-- trace-select.sql.
select c.canonical_id as service, r.resource_id as resource, any_value(r.attributes) as attributes
from trace_place p
join main.span s on s.source_id = p.source_id
  and s.start_ns >= p.slice::bigint * 17179869184 and s.start_ns <= p.slice::bigint * 17179869184 + 17179869183
join canonical c on c.entity_id = s.service
join resource r on r.resource_id = s.resource
where p.key = xor(trace_hi_of($1), trace_lo_of($1)) & 68719476735
  and s.trace_hi = trace_hi_of($1) and s.trace_lo = trace_lo_of($1)
group by all
order by service, resource
