-- The last complete checkpoint of each job before a time ($1, on the case's clock): spans named after it.
select c.canonical_id as entity, printf('%016x%016x', s.trace_hi, s.trace_lo) as trace_id, printf('%016x', s.span_id) as span_id,
  s.end_ns + src.clock_offset_ns as end_ns
from span s
join source src on src.source_id = s.source_id
join name n on n.name_id = s.name
join canonical c on c.entity_id = s.service
where regexp_matches(n.text, '(sav|writ|(^|[^e])stor)(e|ing).*checkpoint|checkpoint.*(sav|writ|(^|[^e])stor)(e|ing)', 'i')
  and s.status <> 2
  and s.end_ns + src.clock_offset_ns <= $1
qualify row_number() over (partition by c.canonical_id order by s.end_ns + src.clock_offset_ns desc, s.span_id) = 1
order by entity
