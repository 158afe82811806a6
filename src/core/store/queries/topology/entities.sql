-- Every entity with its canonical entity; a merged entity has several rows.
select e.entity_id, c.canonical_id, e.kind, e.id
from entity e
join canonical c using (entity_id)
order by e.entity_id
