select e.kind as entity_kind, e.id as entity_id, count(*) as count, min(v.severity) as worst_severity
from event v
join canonical c on c.entity_id = v.entity
join entity e on e.entity_id = c.canonical_id
group by e.kind, e.id
order by e.kind, e.id
