-- Log records by the names of opentelemetry.proto.logs.v1. Zero is "not given" there: NULL here.
select
  case when l.time_ns = 0 then null else l.time_ns + src.clock_offset_ns end as time_unix_nano,
  case when l.observed_ns = 0 then null else l.observed_ns + src.clock_offset_ns end as observed_time_unix_nano,
  l.severity as severity_number, severity_text.text as severity_text,
  l.body, l.attributes, l.dropped as dropped_attributes_count,
  case when l.trace_hi = 0 and l.trace_lo = 0 then null else printf('%016x%016x', l.trace_hi, l.trace_lo) end as trace_id,
  case when l.span_id = 0 then null else printf('%016x', l.span_id) end as span_id,
  l.flags, event_name.text as event_name,
  scope.text as scope_name,
  subject.kind as entity_kind, subject.id as entity,
  r.attributes as resource_attributes, r.schema_url as resource_schema_url,
  src.name as source
from log l
join source src using (source_id)
left join name severity_text on severity_text.name_id = l.severity_text
left join name event_name on event_name.name_id = l.event_name
left join name scope on scope.name_id = l.scope
left join resource r on r.resource_id = l.resource
left join entity subject on subject.entity_id = r.entity
order by coalesce(time_unix_nano, observed_time_unix_nano), l.body, l.attributes
