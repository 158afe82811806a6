-- Entities with the text in their name or an alias. $1: text; $2: most.
with named as (
  select c.canonical_id, e.id as name from entity e join canonical c using (entity_id)
  union all
  select c.canonical_id, a.name from alias a join canonical c using (entity_id)
)
select e.kind, e.id, min(n.name) as name
from named n
join entity e on e.entity_id = n.canonical_id
where contains(lower(n.name), lower($1::varchar))
group by e.entity_id, e.kind, e.id
-- What begins with the text first, then the shorter names.
order by min(case when starts_with(lower(n.name), lower($1::varchar)) then 0 else 1 end), length(e.id), e.id
limit $2::integer
