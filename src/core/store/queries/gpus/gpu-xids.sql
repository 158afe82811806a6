-- Xids of each GPU in a window, with how often. $1, $2: window, nanoseconds on the case's clock.
select c.canonical_id as entity, json_extract(e.details, '$.xid')::integer as xid, count(*)::integer as count
from event e
join source src using (source_id)
join canonical c on c.entity_id = e.entity
join entity x on x.entity_id = c.canonical_id
where x.kind = 'gpu' and e.time_ns + src.clock_offset_ns between $1 and $2
  and contains(e.details, '"xid"') and json_valid(e.details)
group by all
having xid is not null
order by entity, xid
