-- About how many spans begin between two times ($1, $2, nanoseconds on the case's clock), without a look at them.
select coalesce(sum(spans), 0)::double as spans
from span_count n
join source src using (source_id)
where n.slice between ($1 - src.clock_offset_ns) >> 27 and ($2 - src.clock_offset_ns) >> 27
