-- Spans by their names, in order of time. $1: regular expression, case does not matter; $2: most.
with meant as (select name_id, text from name where regexp_matches(text, $1::varchar, 'i'))
select 'span:' || printf('%016x%016x', s.trace_hi, s.trace_lo) || '/' || printf('%016x', s.span_id) as ref,
  coalesce(c.canonical_id, -1) as service, m.text as name, s.start_ns + src.clock_offset_ns as start_ns,
  s.end_ns + src.clock_offset_ns as end_ns, s.status = 2 as failed
from span s
join meant m on m.name_id = s.name
join source src using (source_id)
left join canonical c on c.entity_id = s.service
order by s.start_ns + src.clock_offset_ns, s.end_ns, m.text, ref
limit $2::bigint
