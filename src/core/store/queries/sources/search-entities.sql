-- Entities with the text in their name, an alias or an attribute such as a serial number. $1: text; $2: most.
with named as (
  select c.canonical_id, e.id as name, '' as what from entity e join canonical c using (entity_id)
  union all
  select c.canonical_id, a.name, a.kind from alias a join canonical c using (entity_id)
  union all
  select canonical_id, coalesce(json_extract_string(attributes, '$."' || key || '"'), '') as name, key
  from (
    select c.canonical_id, e.attributes, unnest(json_keys(e.attributes)) as key
    from entity e
    join canonical c using (entity_id)
    where contains(lower(e.attributes), lower($1::varchar)) and json_valid(e.attributes)
  )
)
select e.kind, e.id, arg_min(n.name, length(n.name)) as name, arg_min(n.what, length(n.name)) as what
from named n
join entity e on e.entity_id = n.canonical_id
where contains(lower(n.name), lower($1::varchar))
group by e.entity_id, e.kind, e.id
-- What begins with the text first, then the shorter names.
order by min(case when starts_with(lower(n.name), lower($1::varchar)) then 0 else 1 end), length(e.id), e.id
limit $2::integer
