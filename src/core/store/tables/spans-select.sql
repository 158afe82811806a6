-- The columns that people see of a span: names instead of codes, ids as hex, times on the case's clock.
select
  printf('%016x%016x', s.trace_hi, s.trace_lo) as trace_id,
  printf('%016x', s.span_id) as span_id,
  case when s.parent_id = 0 then null else printf('%016x', s.parent_id) end as parent_span_id,
  service.id as service, n.text as name,
  s.start_ns + src.clock_offset_ns as start_ns,
  (s.end_ns - s.start_ns) / 1e6 as duration_ms,
  make_timestamp_ns(s.start_ns + src.clock_offset_ns) as start_utc,
  case s.kind when 1 then 'internal' when 2 then 'server' when 3 then 'client' when 4 then 'producer' when 5 then 'consumer' else 'unspecified' end as kind,
  case s.status when 1 then 'ok' when 2 then 'error' else 'unset' end as status,
  s.status_message, s.attributes, r.attributes as resource_attributes, scope.text as scope, src.name as source
from span s
join source src using (source_id)
left join name n on n.name_id = s.name
left join name scope on scope.name_id = s.scope
left join entity service on service.entity_id = s.service
left join resource r on r.resource_id = s.resource
