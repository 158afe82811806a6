-- How long recordings of spans lasted within a window: before, after and between them nothing is known. $1, $2: the window, ns.
with extent as (
  select greatest(min(s.start_ns), $1::bigint - any_value(src.clock_offset_ns)) + any_value(src.clock_offset_ns) as from_ns,
    least(max(s.end_ns), $2::bigint - any_value(src.clock_offset_ns)) + any_value(src.clock_offset_ns) as until_ns
  from span s
  join source src using (source_id)
  group by s.source_id
),
reached as (
  select from_ns, until_ns, max(until_ns) over (order by from_ns, until_ns rows between unbounded preceding and 1 preceding) as reached_ns
  from extent
  where until_ns > from_ns
)
select coalesce(sum(greatest(0, until_ns - greatest(from_ns, coalesce(reached_ns, from_ns)))) / 1e9, 0)::double as recorded_s
from reached
