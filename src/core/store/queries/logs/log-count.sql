-- How many log records there are. $1, $2: time on the case's clock, end exclusive.
select count(*)::double as lines
from log l
join source src using (source_id)
where l.time_ns >= $1 - src.clock_offset_ns and l.time_ns < $2 - src.clock_offset_ns
