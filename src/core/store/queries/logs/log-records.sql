-- Log records by their rows, in order of time, with what a list of them shows. $1: list of rows.
select 'log:' || l.source_id || '/' || l.rowid as ref, l.time_ns + src.clock_offset_ns as time_ns, l.severity::integer as severity,
  coalesce(t.text, '') as severity_text, coalesce(e.kind || ':' || e.id, '') as entity, coalesce(l.body, '') as body,
  case when l.trace_hi = 0 and l.trace_lo = 0 then '' else printf('%016x%016x', l.trace_hi, l.trace_lo) end as trace_id,
  case when l.span_id = 0 then '' else printf('%016x', l.span_id) end as span_id
from log l
join source src using (source_id)
left join resource r on r.resource_id = l.resource
left join canonical c on c.entity_id = r.entity
left join entity e on e.entity_id = c.canonical_id
left join name t on t.name_id = l.severity_text
where l.rowid in (select unnest($1::bigint[]))
order by time_ns, l.rowid
