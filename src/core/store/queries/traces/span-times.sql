-- When each span of a service began, on the case's clock, and whether it failed; for class TimeIndex.
select s.service as entity, (s.status = 2)::utinyint as grade, s.start_ns + src.clock_offset_ns as time_ns
from span s
join source src using (source_id)
where s.service is not null
