-- Pieces of hardware with what sources state of them, a row for each name that was merged, and the machine or rack that holds them.
-- $1: kinds.
with holder as (
  select c.canonical_id as held, arg_min(h.id, case h.kind when 'rack' then 1 else 0 end) as place, min(h.kind) as kind
  from edge e
  join canonical c on c.entity_id = e.to_entity
  join canonical f on f.entity_id = e.from_entity
  join entity h on h.entity_id = f.canonical_id and h.kind in ('node', 'server', 'instance', 'gpu', 'rack')
  join name k on k.name_id = e.kind and k.text = 'contains'
  group by all
)
select c.canonical_id as entity, x.kind, x.id, e.attributes, h.place
from entity e
join canonical c using (entity_id)
join entity x on x.entity_id = c.canonical_id
left join holder h on h.held = c.canonical_id
where x.kind in (select unnest($1::varchar[])) and h.kind is distinct from 'gpu'
order by c.canonical_id, e.entity_id
