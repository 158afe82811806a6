-- One lane per entity and metric; several series of one metric (per outlet, per phase) share it. `shift`: slices of
-- 2^shift ns and longer are kept for all of them (table point_range); null where some series has too few points.
select c.canonical_id as entity, s.metric, any_value(s.unit) as unit, list(distinct s.series_id order by s.series_id) as series,
  list(distinct x.source_id order by x.source_id) as sources, sum(x.points)::bigint as count,
  case when count(x.shift) = count(*) then max(x.shift) end as shift
from series_extent x
join series s on s.series_id = x.series
join canonical c on c.entity_id = s.entity
group by c.canonical_id, s.metric
order by entity, s.metric
