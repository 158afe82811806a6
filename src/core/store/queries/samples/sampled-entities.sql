-- Entities about which any series was recorded.
select distinct c.canonical_id as entity
from canonical c
where c.entity_id in (select entity from series)
