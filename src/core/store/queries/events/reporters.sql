-- Data sources by entity: silence is evidence only if a data source covers the entity.
select distinct c.canonical_id as entity, found.source_id
from (select entity, source_id from event union select entity, source_id from series) found
join canonical c on c.entity_id = found.entity
