-- One sample; of a histogram or summary its mean, since its counts began. $1: series, $2: its time on the case's clock.
select s.metric, coalesce(s.unit, '') as unit, coalesce(s.description, '') as description, coalesce(s.attributes, '') as attributes,
  e.kind as entity_kind, e.id as entity_id, p.time_ns + src.clock_offset_ns as time_ns, p.value, p.is_mean, src.name as source_name
from (select series, source_id, time_ns, value, false as is_mean from point
  union all select series, source_id, time_ns, sum / nullif(count, 0), true from distribution) p
join series s on s.series_id = p.series
join source src on src.source_id = p.source_id
left join canonical c on c.entity_id = s.entity
left join entity e on e.entity_id = c.canonical_id
where p.series = $1::integer and p.time_ns + src.clock_offset_ns = $2::bigint
limit 1
