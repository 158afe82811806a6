-- Which service called which, seen in the traces of a window: a span whose parent belongs to another service.
-- $1, $2: nanoseconds on the case's clock. $3: a power of two; only one trace of so many is looked at, whole, because a join
-- of all spans with their parents does not fit the engine's memory from 20 M spans on.
select distinct p.canonical_id as caller, c.canonical_id as callee
from span child
join source src on src.source_id = child.source_id
join span parent on parent.trace_hi = child.trace_hi and parent.trace_lo = child.trace_lo and parent.span_id = child.parent_id
join canonical p on p.entity_id = parent.service
join canonical c on c.entity_id = child.service
where child.parent_id <> 0 and child.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
  and xor(child.trace_hi, child.trace_lo) & ($3::ubigint - 1) = 0 and xor(parent.trace_hi, parent.trace_lo) & ($3::ubigint - 1) = 0
  and p.canonical_id <> c.canonical_id
order by all
