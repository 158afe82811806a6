select c.canonical_id as entity, count(*) as count, min(v.severity) as worst_severity,
  list(distinct v.source_id order by v.source_id) as sources
from event v
join canonical c on c.entity_id = v.entity
group by c.canonical_id
order by entity
