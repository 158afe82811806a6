select distinct f.canonical_id as from_id, k.text as kind, t.canonical_id as to_id, e.valid_from_ns, e.valid_to_ns
from edge e
join canonical f on f.entity_id = e.from_entity
join canonical t on t.entity_id = e.to_entity
join name k on k.name_id = e.kind
order by all
