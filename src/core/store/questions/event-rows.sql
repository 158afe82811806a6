-- $1, $2: window; $3: limit; $4: JSON list of entity keys ("kind:id"), '[]' for all.
select 'event:' || event_id as ref, time_utc, entity_kind, device_id, type, severity, message, origin, source
from events
where time_ns between $1 and $2
  and (json_array_length($4::json) = 0 or list_contains(json_extract_string($4::json, '$[*]'), entity_kind || ':' || device_id))
order by time_ns, event_id
limit $3::bigint + 1
