-- One lane per service. By the narrow columns first: fifty million spans are counted before any name is looked up.
select c.canonical_id as entity, list(distinct n.service) as services, list(distinct n.source_id order by n.source_id) as sources, sum(n.count)::bigint as count,
  sum(n.failed)::bigint as failed
from (
  select service, source_id, count(*) as count, count(*) filter (status = 2) as failed
  from span
  where service is not null
  group by all
) n
join canonical c on c.entity_id = n.service
group by c.canonical_id
order by entity
