-- Recorded data by entity: the name of a metric, '' for a log. Events are read with their types.
select distinct c.canonical_id as entity, s.metric
from series s
join canonical c on c.entity_id = s.entity
union
select distinct c.canonical_id as entity, '' as metric
from (select distinct resource from log where resource is not null) l
join resource r on r.resource_id = l.resource
join canonical c on c.entity_id = r.entity
order by entity, metric
