-- $1, $2: window; $3: entity kind; $4: entity id; $5: most rows wanted (one more is read to notice truncation).
select v.event_id, (v.time_ns + s.clock_offset_ns - $1) / 1e9 as offset_s, v.severity, coalesce(type.text, '') as type
from event v
join source s using (source_id)
join canonical c on c.entity_id = v.entity
join entity e on e.entity_id = c.canonical_id
left join name type on type.name_id = v.type
where e.kind = $3 and e.id = $4 and v.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
order by offset_s, v.event_id
limit $5::bigint + 1
