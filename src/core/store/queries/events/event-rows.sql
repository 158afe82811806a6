-- $1, $2: window; $3: limit; $4: list of entity keys ("kind:id") as lanes name them, '[]' for all.
select 'event:' || e.event_id as ref, make_timestamp_ns(e.time_ns + s.clock_offset_ns) as time_utc,
  n.kind as entity_kind, n.id as device_id, type.text as type,
  ['critical', 'high', 'medium', 'low'][e.severity + 1] as severity, e.message, origin.text as origin, s.name as source
from event e
join source s using (source_id)
left join canonical c on c.entity_id = e.entity
left join entity n on n.entity_id = c.canonical_id
left join name type on type.name_id = e.type
left join name origin on origin.name_id = e.origin
where e.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
  and (len($4::varchar[]) = 0 or list_contains($4::varchar[], n.kind || ':' || n.id))
order by e.time_ns + s.clock_offset_ns, e.event_id
limit $3::bigint + 1
