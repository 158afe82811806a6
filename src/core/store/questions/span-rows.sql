-- $1, $2: window; $3: limit; $4: JSON list of entity keys, '[]' for all.
select 'span:' || trace_id || '/' || span_id as ref, start_utc, service, name, duration_ms, kind, status, status_message, source
from spans
where start_ns between $1 and $2
  and (json_array_length($4::json) = 0 or list_contains(json_extract_string($4::json, '$[*]'), 'service:' || service))
order by start_ns
limit $3::bigint + 1
