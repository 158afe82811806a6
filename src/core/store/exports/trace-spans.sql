-- Spans of a window ($rows: a condition on the span `t`), outer ones first. Times are nanoseconds since $base, which
-- fit in doubles for 13 days; start_ns and end_ns are since 1970, for exact values. Links to spans outside of the window are
-- omitted; `is_linked`: an arrow begins here.
with chosen as (
  select t.*, t.rowid as place, t.start_ns + src.clock_offset_ns as begun_ns, t.end_ns + src.clock_offset_ns as ended_ns
  from span t
  join source src using (source_id)
  where $rows
),
targets as (
  select distinct c.trace_hi, c.trace_lo, c.span_id
  from chosen c
  join span_link l on l.linked_trace_hi = c.trace_hi and l.linked_trace_lo = c.trace_lo and l.linked_span_id = c.span_id
),
links as (
  select min(c.place) as place, any_value(l.links) as links
  from chosen c
  join (
    select l.source_id, l.trace_hi, l.trace_lo, l.span_id,
      list({
        trace_id: printf('%016x%016x', l.linked_trace_hi, l.linked_trace_lo), span_id: printf('%016x', l.linked_span_id),
        trace_state: l.trace_state, attributes: l.attributes, is_drawn: t.span_id is not null
      } order by l.linked_trace_hi, l.linked_trace_lo, l.linked_span_id, l.attributes) as links
    from span_link l
    left join targets t on t.trace_hi = l.linked_trace_hi and t.trace_lo = l.linked_trace_lo and t.span_id = l.linked_span_id
    group by all
  ) l on l.source_id = c.source_id and l.trace_hi = c.trace_hi and l.trace_lo = c.trace_lo and l.span_id = c.span_id
  group by c.source_id, c.trace_hi, c.trace_lo, c.span_id
),
span_events as (
  select min(c.place) as place, any_value(e.span_events) as span_events
  from chosen c
  join (
    select e.source_id, e.trace_hi, e.trace_lo, e.span_id,
      list({time_ns: (e.time_ns + src.clock_offset_ns)::varchar, name: n.text, attributes: e.attributes} order by e.time_ns, n.text, e.attributes) as span_events
    from span_event e
    join source src using (source_id)
    left join name n on n.name_id = e.name
    group by all
  ) e on e.source_id = c.source_id and e.trace_hi = c.trace_hi and e.trace_lo = c.trace_lo and e.span_id = c.span_id
  group by c.source_id, c.trace_hi, c.trace_lo, c.span_id
)
select
  printf('%016x%016x', c.trace_hi, c.trace_lo) as trace_id, printf('%016x', c.span_id) as span_id,
  case when c.parent_id = 0 then '' else printf('%016x', c.parent_id) end as parent_id,
  (c.begun_ns - $base)::double as start, (c.ended_ns - $base)::double as "end",
  c.begun_ns as start_ns, c.ended_ns as end_ns,
  coalesce(n.text, '') as name, coalesce(c.service, -1) as service, coalesce(c.resource, -1) as resource,
  c.kind, c.status, c.flags, c.dropped, c.trace_state, c.status_message, coalesce(scope.text, '') as scope,
  if(json_valid(c.attributes), c.attributes, '') as attributes,
  coalesce(to_json(m.span_events)::varchar, '') as span_events, coalesce(to_json(l.links)::varchar, '') as links,
  (t.span_id is not null)::utinyint as is_linked
from chosen c
left join name n on n.name_id = c.name
left join name scope on scope.name_id = c.scope
left join span_events m on m.place = c.place
left join links l on l.place = c.place
left join targets t on t.trace_hi = c.trace_hi and t.trace_lo = c.trace_lo and t.span_id = c.span_id
order by c.begun_ns, c.ended_ns desc, c.trace_hi, c.trace_lo, c.parent_id, c.span_id
