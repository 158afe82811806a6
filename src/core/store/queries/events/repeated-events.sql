-- How often a type of event was recorded on an entity, where it was more than once: what is routine breaks nothing.
select coalesce(c.canonical_id, -1) as entity, coalesce(n.text, '') as type, count(*)::integer as times
from event e
left join canonical c on c.entity_id = e.entity
left join name n on n.name_id = e.type
group by all
having count(*) > 1
