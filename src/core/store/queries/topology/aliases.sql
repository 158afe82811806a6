select c.canonical_id, a.kind, a.name
from alias a
join canonical c using (entity_id)
order by all
