select l.*, make_timestamp_ns(l.time_ns + s.clock_offset_ns) as time_utc, l.time_ns + s.clock_offset_ns as case_time_ns,
  s.name as source_name, r.attributes as resource_attributes, t.text as severity_name
from log l
join source s using (source_id)
left join resource r on r.resource_id = l.resource
left join name t on t.name_id = l.severity_text
where l.source_id = $1 and l.rowid = $2
