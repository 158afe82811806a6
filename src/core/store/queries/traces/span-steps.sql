-- Next steps of spans, before and now: per span name (of a service and kind) and the child's, in how many spans there was
-- such a child. Spans of which a child failed are left out: what they skip, they skip for that reason. `runs` is how many
-- spans remain. Calls (client and producer spans) are left out, their only step is the answer.
-- $1, $2: baseline, $3, $4: window, nanoseconds on the case's clock. $5: a power of two; one trace of so many is looked at.
with part as materialized (
  select s.trace_hi, s.trace_lo, s.span_id, s.parent_id, coalesce(c.canonical_id, -1) as service, s.name, s.kind, s.status = 2 as failed,
    case
      when s.start_ns + src.clock_offset_ns >= $1 and s.start_ns + src.clock_offset_ns < $2 then 0
      when s.start_ns + src.clock_offset_ns >= $3 and s.start_ns + src.clock_offset_ns < $4 then 1
    end as phase
  from span s
  join source src using (source_id)
  left join canonical c on c.entity_id = s.service
  where s.start_ns between least($1, $3) - src.clock_offset_ns and greatest($2, $4) + 60000000000 - src.clock_offset_ns
    and xor(s.trace_hi, s.trace_lo) & ($5::ubigint - 1) = 0
),
step as (
  select p.trace_hi, p.trace_lo, p.span_id, p.service, p.name, p.kind, p.phase, c.service as next_service, c.name as next_name, c.failed
  from part c
  join part p on p.trace_hi = c.trace_hi and p.trace_lo = c.trace_lo and p.span_id = c.parent_id
  where c.parent_id <> 0 and p.phase is not null and p.service >= 0 and p.kind not in (3, 4)
),
hindered as (select distinct trace_hi, trace_lo, span_id from step where failed),
free as (
  select p.service, p.name, p.kind, p.phase, count(*)::double as runs,
    arg_max((p.trace_hi, p.trace_lo, p.span_id), p.trace_lo) as example
  from part p
  anti join hindered h on h.trace_hi = p.trace_hi and h.trace_lo = p.trace_lo and h.span_id = p.span_id
  where p.phase is not null and p.service >= 0 and p.kind not in (3, 4)
  group by all
),
taken as (
  select s.service, s.name, s.kind, s.phase, s.next_service, s.next_name, count(distinct s.span_id)::double as taken
  from step s
  anti join hindered h on h.trace_hi = s.trace_hi and h.trace_lo = s.trace_lo and h.span_id = s.span_id
  group by all
)
select b.service, coalesce(n.text, '') as name, b.next_service, coalesce(m.text, '') as next_name,
  u.runs as before_runs, b.taken as before_taken, f.runs as window_runs, coalesce(w.taken, 0) as window_taken,
  printf('span:%016x%016x/%016x', f.example[1], f.example[2], f.example[3]) as ref
from taken b
join free u on u.service = b.service and u.name = b.name and u.kind = b.kind and u.phase = 0
join free f on f.service = b.service and f.name = b.name and f.kind = b.kind and f.phase = 1
left join taken w on w.service = b.service and w.name = b.name and w.kind = b.kind and w.phase = 1
  and w.next_service = b.next_service and w.next_name = b.next_name
left join name n on n.name_id = b.name
left join name m on m.name_id = b.next_name
where b.phase = 0 and b.taken >= 5 and b.taken >= u.runs / 2 and coalesce(w.taken, 0) / f.runs < b.taken / u.runs / 2
order by b.taken desc, b.service, b.name, b.next_service, b.next_name
limit 2000
