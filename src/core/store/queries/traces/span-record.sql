-- $1: trace id, $2: span id, both as hex.
select * from trace($1) where span_id = $2
