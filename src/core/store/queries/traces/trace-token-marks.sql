-- When the pieces of the answers of one trace came: by span that bears them, as events of it or as child spans that end with one
-- each. $1: trace id as hex, found by the directory as in trace-select.sql; $2: JSON list of {words, needsServing, kind}, what names of
-- events are, kinds as numbers; $3: the same of spans; $4: most marks.
with found as materialized (
  select s.span_id, s.parent_id, s.end_ns + src.clock_offset_ns as end_ns, s.start_ns + src.clock_offset_ns as start_ns, s.name
  from trace_place p
  join main.span s on s.source_id = p.source_id
    and s.start_ns >= p.slice::bigint * 17179869184 and s.start_ns <= p.slice::bigint * 17179869184 + 17179869183
  join source src on src.source_id = s.source_id
  where p.key = xor(trace_hi_of($1), trace_lo_of($1)) & 68719476735
    and s.trace_hi = trace_hi_of($1) and s.trace_lo = trace_lo_of($1)
),
extent as (select min(start_ns) - 60000000000 as first_ns, max(end_ns) + 60000000000 as last_ns from found),
event as (
  select e.span_id, e.time_ns + src.clock_offset_ns as time_ns, e.name
  from span_event e
  join source src using (source_id)
  where e.trace_hi = trace_hi_of($1) and e.trace_lo = trace_lo_of($1)
    and e.time_ns between (select first_ns from extent) - src.clock_offset_ns and (select last_ns from extent) - src.clock_offset_ns
),
known_event as (
  select unnest(json_transform($2::varchar::json, '[{"kind": "UTINYINT", "words": "VARCHAR", "needsServing": "BOOLEAN"}]'), recursive := true)
),
known_span as (
  select unnest(json_transform($3::varchar::json, '[{"kind": "UTINYINT", "words": "VARCHAR", "needsServing": "BOOLEAN"}]'), recursive := true)
),
event_kind as (
  select n.name_id, k.kind, k.needsServing
  from name n
  join known_event k on regexp_matches(lower(n.text), k.words)
  where n.name_id in (select name from event)
  qualify row_number() over (partition by n.name_id order by k.kind, k.needsServing) = 1
),
span_kind as (
  select n.name_id, k.kind, k.needsServing
  from name n
  join known_span k on regexp_matches(lower(n.text), k.words)
  where n.name_id in (select name from found)
  qualify row_number() over (partition by n.name_id order by k.kind, k.needsServing) = 1
)
select bearer, time_ns, kind, needs_serving, count(*) over ()::integer as marks
from (
  select e.span_id as bearer, e.time_ns, k.kind, k.needsServing::utinyint as needs_serving
  from event e
  join event_kind k on k.name_id = e.name
  union all
  select f.parent_id, f.end_ns, k.kind, k.needsServing::utinyint
  from found f
  join span_kind k on k.name_id = f.name
  where f.parent_id <> 0
)
order by bearer, time_ns, kind
limit $4::bigint
