-- What feeds what, as a what-if moves it: a power supply is its machine, an outlet or a breaker within something is that.
with owner as (
  select t.canonical_id as part, any_value(f.canonical_id order by f.canonical_id) as whole
  from edge e
  join canonical f on f.entity_id = e.from_entity
  join canonical t on t.entity_id = e.to_entity
  join entity part on part.entity_id = t.canonical_id
  join name k on k.name_id = e.kind
  where k.text = 'contains' and part.kind in ('psu', 'outlet', 'breaker')
  group by t.canonical_id
)
select distinct f.kind || ':' || f.id as feeder, t.kind || ':' || t.id as fed
from edge e
join name k on k.name_id = e.kind
join canonical fc on fc.entity_id = e.from_entity
join canonical tc on tc.entity_id = e.to_entity
left join owner feeder_owner on feeder_owner.part = fc.canonical_id
left join owner fed_owner on fed_owner.part = tc.canonical_id
join entity f on f.entity_id = coalesce(feeder_owner.whole, fc.canonical_id)
join entity t on t.entity_id = coalesce(fed_owner.whole, tc.canonical_id)
where k.text = 'feeds' and f.entity_id <> t.entity_id
order by all
