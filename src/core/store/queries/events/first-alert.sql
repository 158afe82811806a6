-- The first alert on one of some entities: $1, $2 the
-- time on the case's clock, $3 list of types, $4 list of canonical entities. Types of the hardware itself are causes and
-- effects, not alerts.
select e.event_id, e.time_ns + src.clock_offset_ns as time_ns, type.text as type, coalesce(entity.id, '') as device
from event e
join source src on src.source_id = e.source_id
join name type on type.name_id = e.type
join canonical c on c.entity_id = e.entity
left join entity on entity.entity_id = e.entity
where c.canonical_id in (select unnest($4::integer[]))
  and type.text in (select unnest($3::varchar[]))
  and e.time_ns + src.clock_offset_ns between $1 and $2
order by time_ns, e.event_id
limit 1
