-- $1, $2: window; $3: JSON list of canonical entities.
select c.canonical_id as entity, v.event_id, (v.time_ns + s.clock_offset_ns - $1) / 1e9 as offset_s, v.severity, coalesce(type.text, '') as type
from event v
join source s using (source_id)
join canonical c on c.entity_id = v.entity
left join name type on type.name_id = v.type
where c.canonical_id in (select unnest(json_transform($3::json, '["INTEGER"]')))
  and v.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
order by c.canonical_id, offset_s, v.event_id
