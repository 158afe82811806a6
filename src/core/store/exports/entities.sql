-- Entities with their canonical entity and aliases.
select
  e.kind, e.id, c.kind as known_as_kind, c.id as known_as, e.attributes,
  (select list({kind: a.kind, name: a.name} order by a.kind, a.name) from (select distinct kind, name from alias where entity_id = e.entity_id) a) as aliases,
  src.name as source
from entity e
join source src using (source_id)
left join canonical on canonical.entity_id = e.entity_id
left join entity c on c.entity_id = canonical.canonical_id
order by e.kind, e.id
