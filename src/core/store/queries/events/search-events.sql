-- Events with the text in type, entity, message or id; the worst first. $1: text; $2: most.
select 'event:' || e.event_id as ref, e.time_ns + s.clock_offset_ns as time_ns, e.severity,
  coalesce(type.text, '') as type, coalesce(n.id, '') as device, coalesce(e.message, '') as message
from event e
join source s using (source_id)
left join canonical c on c.entity_id = e.entity
left join entity n on n.entity_id = c.canonical_id
left join name type on type.name_id = e.type
where contains(lower(e.message), lower($1::varchar)) or contains(lower(e.original_id), lower($1::varchar))
  or e.entity in (select entity_id from entity where contains(lower(id), lower($1::varchar)))
  or e.type in (select name_id from name where contains(lower(replace(text, '_', ' ')), lower(replace($1::varchar, '_', ' '))))
order by e.severity, e.time_ns, e.event_id
limit $2::integer
