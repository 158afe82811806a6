-- Data points of gauges and sums; a value that is NULL is a gap that the producer stated.
select
  p.time_ns + src.clock_offset_ns as time_unix_nano,
  case when p.start_ns = 0 then null else p.start_ns + src.clock_offset_ns end as start_time_unix_nano,
  s.metric as metric_name, s.kind as metric_type, p.value, s.unit, s.description,
  case s.temporality when 1 then 'delta' when 2 then 'cumulative' end as aggregation_temporality,
  s.monotonic = 1 as is_monotonic,
  s.attributes,
  entity.kind as entity_kind, entity.id as entity,
  r.attributes as resource_attributes, r.schema_url as resource_schema_url,
  src.name as source
from point p
join series s on s.series_id = p.series
join source src on src.source_id = p.source_id
left join entity on entity.entity_id = s.entity
left join resource r on r.resource_id = s.resource
order by time_unix_nano, p.series, p.value
