-- Entities with state events, by data source. $1: types of events, comma separated.
select c.canonical_id as entity, type.text as type, sum(n.count)::bigint as count,
  list(distinct n.source_id order by n.source_id) as sources
from (select entity, type, source_id, count(*) as count from event where entity is not null group by all) n
join canonical c on c.entity_id = n.entity
join name type on type.name_id = n.type
where type.text in (select unnest(string_split($1::varchar, ',')))
group by c.canonical_id, type.text
order by entity, type
