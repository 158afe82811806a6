-- Every histogram and summary with what it is about.
select s.series_id, s.metric, s.kind, e.kind as entity_kind, coalesce(s.unit, '') as unit, coalesce(s.attributes, '') as attributes
from series s
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
where s.kind in ('histogram', 'exponential_histogram', 'summary')
order by s.series_id
