-- Log lines of training jobs about saving a checkpoint. $1: what such a text matches (regular expression, case does not matter);
-- $2: rows at most.
with writer as (
  select r.resource_id, coalesce(own.canonical_id, named.canonical_id) as entity
  from (select resource_id, entity, case when json_valid(attributes) then attributes->>'$."service.name"' end as service from resource) r
  left join canonical own on own.entity_id = r.entity
  left join entity e on e.kind = 'service' and e.id = r.service
  left join canonical named on named.entity_id = e.entity_id
)
select w.entity, l.time_ns + src.clock_offset_ns as time_ns, left(l.body, 200) as text, 'log:' || l.source_id || '/' || l.rowid as ref
from log l
join writer w on w.resource_id = l.resource
join source src using (source_id)
where l.time_ns > 0 and contains(lower(l.body), 'checkpoint') and regexp_matches(l.body, $1::varchar, 'i') and w.entity is not null
order by l.time_ns + src.clock_offset_ns, l.source_id, l.rowid
limit $2::bigint
