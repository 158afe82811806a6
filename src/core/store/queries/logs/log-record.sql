select l.*, make_timestamp_ns(l.time_ns + s.clock_offset_ns) as time_utc, l.time_ns + s.clock_offset_ns as case_time_ns,
  s.name as source_name, r.attributes as resource_attributes, t.text as severity_name, e.kind as entity_kind, e.id as entity_id,
  printf('%016x%016x', l.trace_hi, l.trace_lo) as trace_hex, printf('%016x', l.span_id) as span_hex
from log l
join source s using (source_id)
left join resource r on r.resource_id = l.resource
left join canonical c on c.entity_id = r.entity
left join entity e on e.entity_id = c.canonical_id
left join name t on t.name_id = l.severity_text
where l.source_id = $1 and l.rowid = $2
