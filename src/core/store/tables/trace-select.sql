-- The spans of one trace, as trace('4bf92f35…') in SQL: the columns of the view spans, which itself could only find a trace
-- by writing out the id of every span. The name span is taken by the few that are found here, so that both share a select.
-- Ids are compared as numbers, and times so that the engine makes limits for its zone maps of them.
with span as (
  select s.*
  from trace_place p
  join main.span s on s.source_id = p.source_id
    and s.start_ns >= p.slice::bigint * 17179869184 and s.start_ns <= p.slice::bigint * 17179869184 + 17179869183
  where p.key = xor(trace_hi_of(id), trace_lo_of(id)) & 68719476735
    and s.trace_hi = trace_hi_of(id) and s.trace_lo = trace_lo_of(id)
)
