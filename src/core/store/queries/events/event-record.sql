select e.*, s.name as source_name, s.clock_offset_ns
from events e
join event v using (event_id)
join source s using (source_id)
where e.event_id = $1
