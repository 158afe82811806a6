-- Event types by entity kind: types of events, and '' for a series from which events are derived. A reading of
-- power contains no faults. $1: metric names, comma separated.
select distinct e.kind, n.text as type
from event v
join canonical c on c.entity_id = v.entity
join entity e on e.entity_id = c.canonical_id
join name n on n.name_id = v.type
union all
select distinct e.kind, ''
from series s
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
where s.metric in (select unnest(string_split($1::varchar, ',')))
