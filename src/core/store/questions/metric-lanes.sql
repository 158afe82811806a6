-- One lane per entity and metric; several series of one metric (per outlet, per phase) share it.
select c.canonical_id as entity, s.metric, any_value(s.unit) as unit, list(distinct s.series_id order by s.series_id) as series,
  list(distinct s.source_id order by s.source_id) as sources, sum(n.count)::bigint as count
from (select series, count(*) as count from point group by series) n
join series s on s.series_id = n.series
join canonical c on c.entity_id = s.entity
group by c.canonical_id, s.metric
order by entity, s.metric
