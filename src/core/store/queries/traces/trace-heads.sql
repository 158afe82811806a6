-- List entry of each trace: its root (where none was recorded, the span that began first), when it began,
-- how long it lasted, its spans and errors. $1: list of trace ids as hex; $2, $3: when their spans begin, as recorded.
with wanted as materialized (
  select id as trace_id, trace_hi_of(id) as trace_hi, trace_lo_of(id) as trace_lo
  from (select unnest($1::varchar[]) as id)
),
own as (
  select w.trace_id, s.start_ns + src.clock_offset_ns as start_ns, s.end_ns + src.clock_offset_ns as end_ns, s.parent_id, s.service, s.name, s.status
  from span s
  join source src using (source_id)
  join wanted w on w.trace_hi = s.trace_hi and w.trace_lo = s.trace_lo
  where s.start_ns between $2 and $3
),
head as (
  select trace_id, min(start_ns) as start_ns, (max(end_ns) - min(start_ns)) / 1e6 as duration_ms,
    count(*)::double as spans, (count(*) filter (status = 2))::double as errors, count(distinct service)::double as services,
    bool_or(parent_id = 0) as root_recorded,
    -- A root first, then by start.
    arg_min({service: service, name: name}, (parent_id <> 0, start_ns)) as root
  from own
  group by trace_id
)
select trace_id, start_ns, duration_ms, spans, errors, services, root_recorded, e.id as root_service, n.text as root_name
from head
left join entity e on e.entity_id = root.service
left join name n on n.name_id = root.name
order by start_ns, trace_id
