-- First recovery event of an entity: $1 its canonical entity, $2, $3 the time on the case's clock, $4 list
-- of types.
select e.event_id, e.time_ns + src.clock_offset_ns as time_ns, type.text as type
from event e
join source src on src.source_id = e.source_id
join canonical c on c.entity_id = e.entity
join name type on type.name_id = e.type
where c.canonical_id = $1
  and type.text in (select unnest($4::varchar[]))
  and e.time_ns + src.clock_offset_ns between $2 and $3
order by time_ns, e.event_id
limit 1
