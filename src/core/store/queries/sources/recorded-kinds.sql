-- Kinds of entities about which anything was recorded, for "which layers are present".
-- (By service and kind: grouped by two narrow columns, 50 M spans are counted in a table of their values, without hashing.)
select distinct e.kind
from canonical c
join entity e on e.entity_id = c.canonical_id
where c.entity_id in (select entity from event) or c.entity_id in (select entity from series)
   or c.entity_id in (select service from span group by service, kind) or c.entity_id in (select r.entity from log l join resource r on r.resource_id = l.resource)
