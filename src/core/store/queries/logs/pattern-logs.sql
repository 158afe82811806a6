-- Log records that contain one of some texts, the first per entity and text; `total` is their
-- number. $1: texts, separated by the unit separator (0x1F); $2: maximum per text and entity.
select w.said, 'log:' || l.source_id || '/' || l.rowid as ref, l.time_ns + src.clock_offset_ns as time_ns,
  coalesce(c.canonical_id, -1) as entity, l.body,
  (count(*) over (partition by c.canonical_id, w.said))::double as total
from log l
join (select unnest(string_split($1::varchar, chr(31))) as said) w on contains(l.body, w.said)
join source src using (source_id)
left join resource r on r.resource_id = l.resource
left join canonical c on c.entity_id = r.entity
qualify row_number() over (partition by c.canonical_id, w.said order by l.time_ns + src.clock_offset_ns, l.body, l.rowid) <= $2::bigint
order by time_ns, w.said, l.body, l.rowid
