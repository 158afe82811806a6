-- Counts of event types per entity, if more than one: recurring events are rarely a cause.
select coalesce(c.canonical_id, -1) as entity, coalesce(n.text, '') as type, count(*)::integer as times
from event e
left join canonical c on c.entity_id = e.entity
left join name n on n.name_id = e.type
group by all
having count(*) > 1
