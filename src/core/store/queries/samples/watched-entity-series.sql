-- Entity of each watched series, without reading samples. $1: metric names, comma separated.
select s.series_id, s.metric, s.entity, e.kind as entity_kind,
  coalesce(s.attributes, '') as attributes, coalesce(s.unit, '') as unit
from series s
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
where s.metric in (select unnest(string_split($1::varchar, ','))) and s.temporality <> 1
order by s.series_id
