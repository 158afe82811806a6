-- Events of some types with attributes, the first per type and entity; `total` is their
-- number. $1: types, comma separated; $2: maximum per type and entity.
select e.event_id, coalesce(e.original_id, 'event-' || e.event_id) as original_id,
  e.time_ns + s.clock_offset_ns as time_ns, s.clock_uncertainty_ns, e.source_id,
  coalesce(c.canonical_id, -1) as entity, coalesce(n.id, '') as device_id,
  type.text as type, coalesce(origin.text, '') as origin, e.severity, coalesce(e.message, '') as message,
  coalesce(e.attributes, '') as attributes, coalesce(e.details, '') as details, (count(*) over (partition by c.canonical_id, type.text))::double as total
from event e
join source s using (source_id)
join name type on type.name_id = e.type
left join canonical c on c.entity_id = e.entity
left join entity n on n.entity_id = e.entity
left join name origin on origin.name_id = e.origin
where type.text in (select unnest(string_split($1::varchar, ',')))
qualify row_number() over (partition by c.canonical_id, type.text order by e.time_ns + s.clock_offset_ns, e.message, e.event_id) <= $2::bigint
order by time_ns, type.text, device_id, e.message, e.event_id
