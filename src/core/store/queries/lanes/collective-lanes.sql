-- One lane per rank that recorded operations.
select c.canonical_id as entity, list(distinct n.rank) as ranks, list(distinct n.source_id order by n.source_id) as sources, sum(n.count)::bigint as count
from (select rank, source_id, count(*) as count from collective where rank is not null group by all) n
join canonical c on c.entity_id = n.rank
group by c.canonical_id
order by entity
