-- Events of pieces of hardware, in order. $1: types; $2: limit.
select 'event:' || e.event_id as ref, c.canonical_id as entity, t.text as type, e.time_ns + src.clock_offset_ns as time_ns,
  coalesce(e.message, '') as message, coalesce(e.details, '{}') as details
from event e
join source src using (source_id)
join name t on t.name_id = e.type
join canonical c on c.entity_id = e.entity
where t.text in (select unnest($1::varchar[]))
order by e.time_ns + src.clock_offset_ns, e.event_id
limit $2::bigint
