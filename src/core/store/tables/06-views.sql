-- Views for queries: names instead of codes, and every time on the case's clock. The views spans and topology are made in index.ts.
create view events as
  select
    e.event_id, coalesce(e.original_id, 'event-' || e.event_id) as id,
    e.time_ns + src.clock_offset_ns as time_ns,
    make_timestamp_ns(e.time_ns + src.clock_offset_ns) as time_utc,
    entity.kind as entity_kind, entity.id as device_id,
    type.text as type, ['critical', 'high', 'medium', 'low'][e.severity + 1] as severity,
    e.message, origin.text as origin, e.attributes, e.details, e.raw, src.name as source
  from event e
  join source src using (source_id)
  left join entity on entity.entity_id = e.entity
  left join name type on type.name_id = e.type
  left join name origin on origin.name_id = e.origin;

create view logs as
  select
    l.time_ns + src.clock_offset_ns as time_ns,
    make_timestamp_ns(l.time_ns + src.clock_offset_ns) as time_utc,
    entity.kind as entity_kind, entity.id as entity, l.severity, severity_text.text as severity_text,
    l.body, event_name.text as event_name,
    case when l.trace_hi = 0 and l.trace_lo = 0 then null else printf('%016x%016x', l.trace_hi, l.trace_lo) end as trace_id,
    case when l.span_id = 0 then null else printf('%016x', l.span_id) end as span_id,
    l.attributes, r.attributes as resource_attributes, src.name as source
  from log l
  join source src using (source_id)
  left join resource r on r.resource_id = l.resource
  left join entity on entity.entity_id = r.entity
  left join name severity_text on severity_text.name_id = l.severity_text
  left join name event_name on event_name.name_id = l.event_name;

create view metrics as
  select
    p.time_ns + src.clock_offset_ns as time_ns,
    make_timestamp_ns(p.time_ns + src.clock_offset_ns) as time_utc,
    entity.kind as entity_kind, entity.id as entity, s.metric, p.value, s.unit, s.attributes, src.name as source
  from point p
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  left join entity on entity.entity_id = s.entity;

create view collectives as
  select
    rank.id as rank, g.text as group_id, gn.text as group_name, gr.text as group_ranks,
    c.sequence, c.p2p_sequence, o.text as operation, st.text as state,
    case when c.created_ns = 0 then null else make_timestamp_ns(c.created_ns + src.clock_offset_ns) end as created_utc,
    case when c.started_ns = 0 then null else make_timestamp_ns(c.started_ns + src.clock_offset_ns) end as started_utc,
    case when c.completed_ns = 0 then null else make_timestamp_ns(c.completed_ns + src.clock_offset_ns) end as completed_utc,
    d.text as dtype, c.input_sizes, c.output_sizes, c.attributes, src.name as source
  from collective c
  join source src using (source_id)
  left join entity rank on rank.entity_id = c.rank
  left join name g on g.name_id = c.group_id
  left join name gn on gn.name_id = c.group_name
  left join name gr on gr.name_id = c.group_ranks
  left join name o on o.name_id = c.operation
  left join name st on st.name_id = c.state
  left join name d on d.name_id = c.dtype;

create view annotations as
  select
    annotation_id as id, kind, text,
    make_timestamp_ns(at_ns) as at_utc, make_timestamp_ns(until_ns) as until_utc,
    make_timestamp_ns(made_at_ns) as made_at_utc, body
  from annotation;

create view outages as
  select src.name as source,
    make_timestamp_ns(o.from_ns + src.clock_offset_ns) as from_utc,
    make_timestamp_ns(o.until_ns + src.clock_offset_ns) as until_utc, o.reason
  from outage o
  join source src using (source_id);
