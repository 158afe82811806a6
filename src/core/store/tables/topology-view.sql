-- After judged-edges.sql: every link as it was recorded. `standing`: `recorded` counts; `proposed` was found by a live feed and
-- does not, until the investigator has `accepted` it; `rejected` never does.
, named as (select e.kind || ':' || e.id as name, c.canonical_id from entity e join canonical c on c.entity_id = e.entity_id),
edit as (
  select made_at_ns, annotation_id, try_cast(body as json) as body from annotation where kind = 'edge'
),
verdict as (
  select f.canonical_id as from_id, (edit.body->>'$.edge') as kind, t.canonical_id as to_id,
    arg_max((edit.body->>'$.change'), row(made_at_ns, annotation_id)) as change
  from edit
  join named f on f.name = (edit.body->>'$.from')
  join named t on t.name = (edit.body->>'$.to')
  group by all
),
proposed as (select distinct from_id, kind, to_id from judged where is_proposed)
select f.kind as from_kind, f.id as from_id, k.text as edge, t.kind as to_kind, t.id as to_id,
  case when e.valid_from_ns = -9223372036854775808 then null else make_timestamp_ns(e.valid_from_ns) end as valid_from,
  case when e.valid_to_ns = 9223372036854775807 then null else make_timestamp_ns(e.valid_to_ns) end as valid_to,
  p.text as provenance,
  case
    when proposed.from_id is null then 'recorded' when verdict.change = 'add' then 'accepted'
    when verdict.change = 'remove' then 'rejected' else 'proposed'
  end as standing
from edge e
join entity f on f.entity_id = e.from_entity
join entity t on t.entity_id = e.to_entity
join name k on k.name_id = e.kind
left join name p on p.name_id = e.provenance
left join canonical cf on cf.entity_id = e.from_entity
left join canonical ct on ct.entity_id = e.to_entity
left join proposed on proposed.from_id = cf.canonical_id and proposed.kind = k.text and proposed.to_id = ct.canonical_id
left join verdict on verdict.from_id = cf.canonical_id and verdict.kind = k.text and verdict.to_id = ct.canonical_id
