-- One lane per entity and metric; several series of one metric (per outlet, per phase) share it.
select e.kind as entity_kind, e.id as entity_id, s.metric, any_value(s.unit) as unit, count(*) as count
from point p
join series s on s.series_id = p.series
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
group by e.kind, e.id, s.metric
order by e.kind, e.id, s.metric
