-- The mean of every series over the time of a region, of the entities of the region (`inside`) and of all others.
-- Begins with difference-point-sample.sql.
level as (select series, any_value(inside) as inside, any_value(reading) as reading, avg(value) as value from reported where value is not null group by series)
select s.series_id, s.metric, coalesce(s.unit, '') as unit, e.kind, c.canonical_id as entity, coalesce(s.attributes, '') as attributes,
  level.inside, level.reading, level.value
from level
join series s on s.series_id = level.series
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
order by s.series_id
