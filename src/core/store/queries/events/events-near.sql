-- Recorded events, the nearest to a time ($1) first, at most $2; `found` counts all of them.
select time_ns, case when entity_kind is null then null else entity_kind || ':' || device_id end as entity, type, severity, message,
  (count(*) over ())::integer as found
from events
order by abs(time_ns - $1), time_ns, entity, type, message
limit $2
