-- $1: canonical entity.
select distinct a.kind, a.name
from alias a
join canonical c using (entity_id)
where c.canonical_id = $1::integer
order by all
