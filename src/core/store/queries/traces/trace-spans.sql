-- $1: trace id as hex; $2: limit.
select span_id, parent_span_id, service, name, start_ns, duration_ms, kind, status, source
from trace($1)
order by start_ns, span_id
limit $2::bigint + 1
