-- Links from and to spans of some traces. Links are in no order that helps, so the table is read, two of its columns in
-- full: asked once for all traces that were found a step before (figures in bench/ui).
-- $1: trace ids as a list of hex, $2: most links.
with asked as materialized (
  select trace_hi_of(id) as hi, trace_lo_of(id) as lo from (select unnest($1::varchar[]) as id)
),
found as (
  select l.* from span_link l semi join asked a on l.trace_lo = a.lo and l.trace_hi = a.hi
  union
  select l.* from span_link l semi join asked a on l.linked_trace_lo = a.lo and l.linked_trace_hi = a.hi
)
select distinct printf('%016x%016x', trace_hi, trace_lo) as trace_id, span_id,
  printf('%016x%016x', linked_trace_hi, linked_trace_lo) as linked_trace_id, linked_span_id
from found
where linked_trace_hi <> 0 or linked_trace_lo <> 0
order by all
limit $2::bigint
