-- Entities with every word of the text in their name, an alias or an attribute such as a serial number, or in the kind beside it.
-- $1: text; $2: most.
with given as (
  select list_filter(string_split(lower($1::varchar), ' '), lambda word: word <> '') as words
), named as (
  select c.canonical_id, e.id as name, '' as what from entity e join canonical c using (entity_id)
  union all
  select c.canonical_id, a.name, a.kind from alias a join canonical c using (entity_id)
  union all
  select canonical_id, coalesce(json_extract_string(attributes, '$."' || key || '"'), '') as name, key
  from (
    select c.canonical_id, e.attributes, unnest(json_keys(e.attributes)) as key
    from entity e
    join canonical c using (entity_id), given
    where len(list_filter(words, lambda word: contains(lower(e.attributes), word))) > 0 and json_valid(e.attributes)
  )
)
select e.kind, e.id, arg_min(n.name, length(n.name)) as name, arg_min(n.what, length(n.name)) as what
from given, named n
join entity e on e.entity_id = n.canonical_id
where list_bool_and(list_transform(words, lambda word: contains(lower(n.name || ' ' || e.kind), word)))
  and len(list_filter(words, lambda word: contains(lower(n.name), word))) > 0
group by e.entity_id, e.kind, e.id
-- What begins with the text first, then the shorter names.
order by min(case when starts_with(lower(n.name), lower($1::varchar)) then 0 else 1 end), length(e.id), e.id
limit $2::integer
