-- Spans with their events and links, by the names of opentelemetry.proto.trace.v1 where it has one. Where two spans of a source
-- share an id (a client and its server in Zipkin), the first one stored gets their events and links, because their owner is unknown.
-- $events and $links leave out what cannot belong to $spans: a part of all spans is joined with little.
with happened as (
  select e.source_id, e.trace_hi, e.trace_lo, e.span_id,
    list({time_unix_nano: e.time_ns + src.clock_offset_ns, name: n.text, attributes: e.attributes} order by e.time_ns, n.text, e.attributes) as events
  from span_event e
  join source src using (source_id)
  left join name n on n.name_id = e.name
  where $events
  group by e.source_id, e.trace_hi, e.trace_lo, e.span_id
),
linked as (
  select source_id, trace_hi, trace_lo, span_id,
    list({
      trace_id: printf('%016x%016x', linked_trace_hi, linked_trace_lo), span_id: printf('%016x', linked_span_id),
      trace_state: trace_state, attributes: attributes
    } order by linked_trace_hi, linked_trace_lo, linked_span_id, attributes) as links
  from span_link l
  where $links
  group by source_id, trace_hi, trace_lo, span_id
),
happened_in as (
  select min(s.rowid) as place, any_value(h.events) as events
  from span s
  join happened h on h.source_id = s.source_id and h.trace_hi = s.trace_hi and h.trace_lo = s.trace_lo and h.span_id = s.span_id
  group by h.source_id, h.trace_hi, h.trace_lo, h.span_id
),
linked_from as (
  select min(s.rowid) as place, any_value(l.links) as links
  from span s
  join linked l on l.source_id = s.source_id and l.trace_hi = s.trace_hi and l.trace_lo = s.trace_lo and l.span_id = s.span_id
  group by l.source_id, l.trace_hi, l.trace_lo, l.span_id
)
select
  printf('%016x%016x', s.trace_hi, s.trace_lo) as trace_id,
  printf('%016x', s.span_id) as span_id,
  case when s.parent_id = 0 then null else printf('%016x', s.parent_id) end as parent_span_id,
  s.trace_state, s.flags,
  n.text as name,
  case s.kind when 1 then 'internal' when 2 then 'server' when 3 then 'client' when 4 then 'producer' when 5 then 'consumer' else 'unspecified' end as kind,
  s.start_ns + src.clock_offset_ns as start_time_unix_nano,
  s.end_ns + src.clock_offset_ns as end_time_unix_nano,
  s.attributes, s.dropped as dropped_attributes_count,
  happened_in.events, linked_from.links,
  case s.status when 1 then 'ok' when 2 then 'error' else 'unset' end as status_code,
  s.status_message,
  scope.text as scope_name,
  service.kind as service_kind, service.id as service_name,
  subject.kind as entity_kind, subject.id as entity,
  r.attributes as resource_attributes, r.schema_url as resource_schema_url,
  src.name as source
from span s
join source src using (source_id)
left join name n on n.name_id = s.name
left join name scope on scope.name_id = s.scope
left join entity service on service.entity_id = s.service
left join resource r on r.resource_id = s.resource
left join entity subject on subject.entity_id = r.entity
left join happened_in on happened_in.place = s.rowid
left join linked_from on linked_from.place = s.rowid
where $spans
order by start_time_unix_nano, s.trace_hi, s.trace_lo, s.span_id, s.kind
