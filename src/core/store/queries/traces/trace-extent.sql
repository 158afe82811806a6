-- In which slices of 17 s the spans of these traces begin, as recorded; NULL: none is in the case. So that the spans
-- themselves are looked for in these row groups only. $1: list of trace ids as hex.
select min(slice)::bigint * 17179869184 as first_ns, max(slice)::bigint * 17179869184 + 17179869183 as last_ns
from trace_place
where key in (
  select xor(trace_hi_of(id), trace_lo_of(id)) & 68719476735 from (select unnest($1::varchar[]) as id))
