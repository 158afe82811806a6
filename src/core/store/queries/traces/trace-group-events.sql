-- What the spans of one trace recorded as events. Their table lies about in order of time, so that a minute around the
-- trace leaves few of its row groups to read.
-- $1, $2: nanoseconds on the case's clock, $3: most events, $4: trace id as hex.
select e.span_id, e.time_ns + src.clock_offset_ns as time_ns, coalesce(n.text, '') as name
from span_event e
join source src using (source_id)
left join name n on n.name_id = e.name
where e.trace_hi = trace_hi_of($4) and e.trace_lo = trace_lo_of($4)
  and e.time_ns between $1::bigint - src.clock_offset_ns and $2::bigint - src.clock_offset_ns
order by time_ns, e.span_id, name
limit $3::bigint
