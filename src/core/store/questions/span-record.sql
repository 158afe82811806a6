select * from spans where trace_id = $1 and span_id = $2
