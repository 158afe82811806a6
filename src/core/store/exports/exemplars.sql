-- Single measurements that stand for a data point, with the trace in which they were made.
select
  x.time_ns + src.clock_offset_ns as time_unix_nano,
  s.metric as metric_name, x.value,
  case when x.trace_hi = 0 and x.trace_lo = 0 then null else printf('%016x%016x', x.trace_hi, x.trace_lo) end as trace_id,
  case when x.span_id = 0 then null else printf('%016x', x.span_id) end as span_id,
  x.attributes as filtered_attributes, s.attributes,
  entity.kind as entity_kind, entity.id as entity,
  src.name as source
from exemplar x
join series s on s.series_id = x.series
join source src on src.source_id = x.source_id
left join entity on entity.entity_id = s.entity
order by time_unix_nano, x.series, x.value
