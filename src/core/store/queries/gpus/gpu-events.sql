-- Events of each GPU in a window, with the worst severity. $1, $2: window, nanoseconds on the case's clock.
select c.canonical_id as entity, count(*)::integer as events, min(e.severity)::integer as worst_severity
from event e
join source src using (source_id)
join canonical c on c.entity_id = e.entity
join entity x on x.entity_id = c.canonical_id
where x.kind = 'gpu' and e.time_ns + src.clock_offset_ns between $1 and $2
group by 1
