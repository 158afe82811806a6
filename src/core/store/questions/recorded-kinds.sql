-- Kinds of entities about which anything was recorded, for "which layers are present".
select distinct e.kind
from canonical c
join entity e on e.entity_id = c.canonical_id
where c.entity_id in (select entity from event) or c.entity_id in (select entity from series)
   or c.entity_id in (select service from span) or c.entity_id in (select r.entity from log l join resource r on r.resource_id = l.resource)
