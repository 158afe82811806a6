-- Events that are a part of a node's repair, with the node of their entity. $1, $2: window,
-- nanoseconds on the case's clock; $3: list of types; $4: limit.
with types as (select unnest($3::varchar[]) as type),
holder as (
  select c.canonical_id as held, min(h.id) as node
  from edge e
  join canonical c on c.entity_id = e.to_entity
  join canonical f on f.entity_id = e.from_entity
  join entity h on h.entity_id = f.canonical_id and h.kind in ('node', 'server', 'instance')
  join name k on k.name_id = e.kind and k.text = 'contains'
  group by all
)
select 'event:' || e.event_id as ref,
  case when x.kind in ('node', 'server', 'instance') then x.id else coalesce(h.node, x.id) end as node,
  t.text as type, e.time_ns + src.clock_offset_ns as time_ns, coalesce(e.message, '') as message
from event e
join source src using (source_id)
join name t on t.name_id = e.type
join types w on w.type = t.text
join canonical c on c.entity_id = e.entity
join entity x on x.entity_id = c.canonical_id
left join holder h on h.held = c.canonical_id
where e.time_ns + src.clock_offset_ns between $1 and $2
order by e.time_ns + src.clock_offset_ns, e.event_id
limit $4::bigint + 1
