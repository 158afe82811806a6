-- Histograms, exponential histograms and summaries. `detail` is their buckets or quantiles, whole; the two lists are those of plain
-- histograms once more, under the names of opentelemetry.proto.metrics.v1.
select
  d.time_ns + src.clock_offset_ns as time_unix_nano,
  case when d.start_ns = 0 then null else d.start_ns + src.clock_offset_ns end as start_time_unix_nano,
  s.metric as metric_name, s.kind as metric_type, d.count, d.sum, d.min, d.max,
  case when s.kind = 'histogram' then try_cast(json_extract(d.detail, '$.counts') as double[]) end as bucket_counts,
  case when s.kind = 'histogram' then try_cast(json_extract(d.detail, '$.bounds') as double[]) end as explicit_bounds,
  d.detail,
  s.unit, s.description,
  case s.temporality when 1 then 'delta' when 2 then 'cumulative' end as aggregation_temporality,
  s.monotonic = 1 as is_monotonic,
  s.attributes,
  entity.kind as entity_kind, entity.id as entity,
  r.attributes as resource_attributes, r.schema_url as resource_schema_url,
  src.name as source
from distribution d
join series s on s.series_id = d.series
join source src on src.source_id = d.source_id
left join entity on entity.entity_id = s.entity
left join resource r on r.resource_id = s.resource
order by time_unix_nano, d.series, d.count
