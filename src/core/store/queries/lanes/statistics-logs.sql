-- Log records per lane within a time. $1, $2: from, until; $3: list of {lane: n, resource: id}.
with wanted as (
  select unnest($3::struct(lane integer, resource integer)[], recursive := true)
)
select w.lane, count(*)::double as count, null::double as min, null::double as mean, null::double as p95, null::double as max
from log l
join wanted w using (resource)
join source src on src.source_id = l.source_id
where l.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by w.lane
