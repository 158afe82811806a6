-- $1: canonical entities, with commas.
select distinct c.canonical_id as entity, a.kind, a.name
from alias a
join canonical c using (entity_id)
where c.canonical_id in (select unnest(string_split($1::varchar, ','))::integer)
order by all
