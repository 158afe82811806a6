-- $1, $2: window; $3: limit; $4: list of entity keys, '[]' for all. The window is put on each source's own clock, not
-- the spans on the case's: so it meets the zone maps of start_ns.
select 'span:' || printf('%016x%016x', s.trace_hi, s.trace_lo) || '/' || printf('%016x', s.span_id) as ref,
  make_timestamp_ns(s.start_ns + src.clock_offset_ns) as start_utc, service.id as service, n.text as name,
  (s.end_ns - s.start_ns) / 1e6 as duration_ms,
  case s.kind when 1 then 'internal' when 2 then 'server' when 3 then 'client' when 4 then 'producer' when 5 then 'consumer' else 'unspecified' end as kind,
  case s.status when 1 then 'ok' when 2 then 'error' else 'unset' end as status, s.status_message, src.name as source
from span s
join source src using (source_id)
left join name n on n.name_id = s.name
left join entity service on service.entity_id = s.service
where s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
  and (len($4::varchar[]) = 0 or s.service in (
    select c.entity_id from canonical c join entity e on e.entity_id = c.canonical_id
    where list_contains($4::varchar[], e.kind || ':' || e.id)))
order by s.start_ns + src.clock_offset_ns
limit $3::bigint + 1
