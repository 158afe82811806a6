-- Durations in ms of the spans that begin within a time. $1, $2: from, until; $3: list of {lane: n, service: id}.
with wanted as (
  select unnest($3::struct(lane integer, service integer)[], recursive := true)
)
select w.lane, count(*)::double as count, min(s.end_ns - s.start_ns) / 1e6 as min, avg(s.end_ns - s.start_ns) / 1e6 as mean,
  quantile_cont(s.end_ns - s.start_ns, 0.95) / 1e6 as p95, max(s.end_ns - s.start_ns) / 1e6 as max
from span s
join wanted w using (service)
join source src on src.source_id = s.source_id
where s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by w.lane
