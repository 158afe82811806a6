-- Every link of an entity, read from its side. $1: canonical entity.
select distinct f.kind || ' ' || f.id || ' ' || k.text || ' ' || t.kind || ' ' || t.id as link, coalesce(p.text, 'unknown') as provenance
from edge e
join canonical fc on fc.entity_id = e.from_entity
join entity f on f.entity_id = fc.canonical_id
join canonical tc on tc.entity_id = e.to_entity
join entity t on t.entity_id = tc.canonical_id
join name k on k.name_id = e.kind
left join name p on p.name_id = e.provenance
where fc.canonical_id = $1::integer or tc.canonical_id = $1::integer
order by all
