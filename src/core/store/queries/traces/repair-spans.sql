-- Spans of traces in which a program of a repair took part, within a window: the whole trace, including database and
-- web client spans. $1, $2: window, nanoseconds on the case's clock; $3: list of names of programs; $4: limit.
with programs as (select unnest($3::varchar[]) as program),
own_services as (
  select e.entity_id from entity e join programs p on p.program = replace(lower(e.id), '-', '_') where e.kind = 'service'
),
own_names as (
  select n.name_id from name n join programs p on p.program = replace(lower(split_part(n.text, '.', 1)), '-', '_')
  where contains(n.text, '.')
),
traces as (
  select s.trace_hi, s.trace_lo, min(s.start_ns + src.clock_offset_ns) as first_ns
  from span s
  join source src using (source_id)
  where s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
    and (s.service in (select entity_id from own_services) or s.name in (select name_id from own_names))
  group by all
)
select printf('%016x%016x', s.trace_hi, s.trace_lo) as trace_id, printf('%016x', s.span_id) as span_id,
  case when s.parent_id = 0 then '' else printf('%016x', s.parent_id) end as parent_id,
  coalesce(service.id, '') as service, coalesce(n.text, '') as name,
  s.start_ns + src.clock_offset_ns as start_ns, s.end_ns + src.clock_offset_ns as end_ns,
  s.status = 2 as failed, coalesce(s.status_message, '') as status_message, coalesce(s.attributes, '{}') as attributes
from span s
join traces t on t.trace_hi = s.trace_hi and t.trace_lo = s.trace_lo
join source src using (source_id)
left join name n on n.name_id = s.name
left join entity service on service.entity_id = s.service
order by t.first_ns, t.trace_hi, t.trace_lo, s.start_ns, s.span_id
limit $4::bigint + 1
