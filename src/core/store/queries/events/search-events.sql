-- Events with the text in type, entity, message, id or an attribute, and those of an Xid; the worst first. $1: text; $2: most;
-- $3: number of an Xid, -1 for none.
select 'event:' || e.event_id as ref, e.time_ns + s.clock_offset_ns as time_ns, e.severity,
  coalesce(type.text, '') as type, coalesce(n.id, '') as device, coalesce(e.message, '') as message
from event e
join source s using (source_id)
left join canonical c on c.entity_id = e.entity
left join entity n on n.entity_id = c.canonical_id
left join name type on type.name_id = e.type
where contains(lower(e.message), lower($1::varchar)) or contains(lower(e.original_id), lower($1::varchar))
  or contains(lower(e.attributes), lower($1::varchar))
  or try_cast(json_extract_string(e.details, '$.xid') as bigint) = $3
  or c.canonical_id in (
    select o.canonical_id from canonical o
    left join entity named on named.entity_id = o.entity_id
    left join alias a on a.entity_id = o.entity_id
    where contains(lower(named.id), lower($1::varchar)) or contains(lower(a.name), lower($1::varchar)))
  or e.type in (select name_id from name where contains(lower(replace(text, '_', ' ')), lower(replace($1::varchar, '_', ' '))))
order by coalesce(try_cast(json_extract_string(e.details, '$.xid') as bigint) = $3, false) desc, e.severity, e.time_ns, e.event_id
limit $2::integer
