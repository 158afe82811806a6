-- Events with every word of the text in type, entity, message, id or an attribute, and those of an Xid; the worst first. $1: text; $2: most;
-- $3: number of an Xid, -1 for none.
with given as (
  select list_filter(string_split(lower(replace($1::varchar, '_', ' ')), ' '), lambda word: word <> '') as words
), names as (
  select o.canonical_id, string_agg(lower(concat_ws(' ', named.id, a.name)), ' ') as names
  from canonical o
  left join entity named on named.entity_id = o.entity_id
  left join alias a on a.entity_id = o.entity_id
  group by o.canonical_id
), found as (
  select e.event_id, e.time_ns + s.clock_offset_ns as time_ns, e.severity, e.message, c.canonical_id, type.text as type,
    try_cast(json_extract_string(e.details, '$.xid') as bigint) as xid,
    replace(lower(concat_ws(' ', type.text, e.message, e.original_id, e.attributes, names.names)), '_', ' ') as hay
  from event e
  join source s using (source_id)
  left join canonical c on c.entity_id = e.entity
  left join names on names.canonical_id = c.canonical_id
  left join name type on type.name_id = e.type
)
select 'event:' || f.event_id as ref, f.time_ns, f.severity, coalesce(f.type, '') as type, coalesce(n.id, '') as device,
  coalesce(f.message, '') as message
from given, found f
left join entity n on n.entity_id = f.canonical_id
where len(words) > 0 and list_bool_and(list_transform(words, lambda word: contains(f.hay, word))) or f.xid = $3
order by coalesce(f.xid = $3, false) desc, f.severity, f.time_ns, f.event_id
limit $2::integer
