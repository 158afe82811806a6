-- Which source recorded anything about which thing: of one that a source never speaks of, its silence says nothing.
select distinct c.canonical_id as entity, found.source_id
from (select entity, source_id from event union select entity, source_id from series) found
join canonical c on c.entity_id = found.entity
