-- How many spans begin in a window. $1, $2: nanoseconds on the case's clock.
select count(*)::double as spans
from span s
join source src using (source_id)
where s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
