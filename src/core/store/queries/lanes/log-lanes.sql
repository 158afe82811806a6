-- One lane per logging entity: a service, a machine.
select c.canonical_id as entity, list(distinct n.resource) as resources, list(distinct n.source_id order by n.source_id) as sources,
  sum(n.count)::bigint as count
from (select resource, source_id, count(*) as count from log where resource is not null group by all) n
join resource r on r.resource_id = n.resource
join canonical c on c.entity_id = r.entity
group by c.canonical_id
order by entity
