-- Events of some entities in a time, on the case's clock; `found` counts all. $1, $2: the time; $3: list of canonical entities; $4: most.
select 'event:' || v.event_id as ref, e.kind || ':' || e.id as entity, type.text as type, v.severity,
  coalesce(v.message, '') as message, v.time_ns + src.clock_offset_ns as time_ns, (count(*) over ())::integer as found
from event v
join source src using (source_id)
join canonical c on c.entity_id = v.entity
join entity e on e.entity_id = c.canonical_id
join name type on type.name_id = v.type
where c.canonical_id in (select unnest($3::integer[]))
  and v.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
order by v.time_ns + src.clock_offset_ns desc, v.event_id
limit $4::bigint
