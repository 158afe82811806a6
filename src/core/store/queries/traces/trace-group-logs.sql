-- Log records that bear the id of one of some traces, in a time.
-- $1, $2: nanoseconds on the case's clock, $3: most records, $4: trace ids as a list of hex.
with asked as materialized (
  select id, trace_hi_of(id) as hi, trace_lo_of(id) as lo from (select unnest($4::varchar[]) as id)
)
select a.id as trace_id, l.span_id, l.time_ns + src.clock_offset_ns as time_ns, l.severity,
  'log:' || l.source_id || '/' || l.rowid as ref, coalesce(left(l.body, 300), '') as body
from log l
join source src using (source_id)
join asked a on l.trace_lo = a.lo and l.trace_hi = a.hi
where l.time_ns between $1::bigint - src.clock_offset_ns and $2::bigint - src.clock_offset_ns
order by time_ns, ref
limit $3::bigint
