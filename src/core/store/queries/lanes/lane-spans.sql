-- Spans that lie in the window with any part, by their beginning; those that began before it are found by the zone maps of
-- end_ns. $1, $2: window; $3: list of services (entity ids, as recorded); $4: at most so many.
select s.service, (s.start_ns + src.clock_offset_ns - $1) / 1e9 as start_s, (s.end_ns + src.clock_offset_ns - $1) / 1e9 as end_s,
  s.status = 2 as failed, coalesce(n.text, '') as name,
  'span:' || printf('%016x%016x', s.trace_hi, s.trace_lo) || '/' || printf('%016x', s.span_id) as ref
from span s
join source src using (source_id)
left join name n on n.name_id = s.name
where s.service in (select unnest($3::integer[]))
  and s.start_ns <= $2 - src.clock_offset_ns and s.end_ns >= $1 - src.clock_offset_ns
order by start_s, end_s desc, ref
limit $4::bigint
