-- $1, $2: window; $3: limit; $4: list of entity keys, '[]' for all.
select 'log:' || l.source_id || '/' || l.rowid as ref, make_timestamp_ns(l.time_ns + src.clock_offset_ns) as time_utc,
  e.id as entity, coalesce(t.text, l.severity::varchar) as severity, l.body, src.name as source
from log l
join source src using (source_id)
left join resource r on r.resource_id = l.resource
left join canonical c on c.entity_id = r.entity
left join entity e on e.entity_id = c.canonical_id
left join name t on t.name_id = l.severity_text
where l.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
  and (len($4::varchar[]) = 0 or list_contains($4::varchar[], e.kind || ':' || e.id))
order by l.time_ns
limit $3::bigint + 1
