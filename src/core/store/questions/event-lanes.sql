select c.canonical_id as entity, count(*) as count, min(v.severity) as worst_severity
from event v
join canonical c on c.entity_id = v.entity
group by c.canonical_id
order by entity
