-- Log records in whose body one of some texts stands, the first of them of each thing and text; `total` says how many there
-- are. $1: texts, separated by the unit separator (0x1F); $2: most of one text of one thing.
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
