-- Events of a window ($rows: a condition on the event `t`); times as those of spans.
select
  (t.time_ns + src.clock_offset_ns - $base)::double as time, t.time_ns + src.clock_offset_ns as time_ns,
  t.event_id, coalesce(t.entity, -1) as entity, coalesce(type.text, '') as type, coalesce(origin.text, '') as origin, t.severity,
  t.original_id, t.message, if(json_valid(t.attributes), t.attributes, '') as attributes, t.raw
from event t
join source src using (source_id)
left join name type on type.name_id = t.type
left join name origin on origin.name_id = t.origin
where $rows
order by t.time_ns + src.clock_offset_ns, t.event_id
