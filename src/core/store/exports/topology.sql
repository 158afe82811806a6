-- Links between entities; a NULL time means always valid. Links have no clock.
select f.kind as from_kind, f.id as from_id, k.text as edge, t.kind as to_kind, t.id as to_id,
  case when e.valid_from_ns = -9223372036854775808 then null else e.valid_from_ns end as valid_from_unix_nano,
  case when e.valid_to_ns = 9223372036854775807 then null else e.valid_to_ns end as valid_to_unix_nano,
  p.text as provenance, src.name as source
from edge e
join source src using (source_id)
join entity f on f.entity_id = e.from_entity
join entity t on t.entity_id = e.to_entity
join name k on k.name_id = e.kind
left join name p on p.name_id = e.provenance
order by all
