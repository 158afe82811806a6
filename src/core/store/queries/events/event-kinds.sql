-- How many events were recorded of each kind of entity; '' of those that name none. By entity first: a million events
-- are counted by one narrow column.
select coalesce(e.kind, '') as kind, sum(n)::double as events
from (select entity, count(*) as n from event group by entity) counted
left join canonical c on c.entity_id = counted.entity
left join entity e on e.entity_id = c.canonical_id
group by 1
order by 1
