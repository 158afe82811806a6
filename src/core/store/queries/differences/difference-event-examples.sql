-- Events of a region with a type, of an entity or of a severity. $1, $2: region; $3: 'event type', 'event entity' or 'event
-- severity'; $4: its value; $5: 'all', or list of the entities that count; $6: most.
with meant_entity as (select unnest(nullif($5, 'all')::integer[]) as id)
select 'event:' || e.event_id as ref, e.time_ns + src.clock_offset_ns as time_ns,
  concat_ws(' ', t.text, 'on', g.id) || coalesce(': ' || e.message, '') as title
from event e
join source src using (source_id)
left join name t on t.name_id = e.type
left join canonical c on c.entity_id = e.entity
left join entity g on g.entity_id = c.canonical_id
where e.time_ns >= $1 - src.clock_offset_ns and e.time_ns < $2 - src.clock_offset_ns
  and ($5 = 'all' or e.entity in (from meant_entity))
  and case $3 when 'event type' then t.text = $4 when 'event entity' then g.id = $4
    else ['critical', 'high', 'medium', 'low'][e.severity + 1] = $4 end
order by e.time_ns
limit $6::bigint
