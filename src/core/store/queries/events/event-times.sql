-- Event times of each canonical entity, on the case's clock: critical 0, high 1, milder 2; for class TimeIndex.
select c.canonical_id as entity, least(v.severity, 2)::utinyint as grade, v.time_ns + s.clock_offset_ns as time_ns
from event v
join source s using (source_id)
join canonical c on c.entity_id = v.entity
