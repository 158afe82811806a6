select e.*, s.name as source_name
from events e
join event v using (event_id)
join source s using (source_id)
where e.event_id = $1
