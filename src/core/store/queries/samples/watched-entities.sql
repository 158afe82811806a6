-- Entities about which any event or series was recorded: only for these is the absence of an effect evidence.
select distinct c.canonical_id as entity
from canonical c
where c.entity_id in (select entity from event) or c.entity_id in (select entity from series)
