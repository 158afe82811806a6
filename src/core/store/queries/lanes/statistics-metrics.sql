-- Figures of samples per lane within a time. $1, $2: from, until; $3: list of {lane: n, series: id}.
with wanted as (
  select unnest($3::struct(lane integer, series integer)[], recursive := true)
)
select w.lane, count(p.value)::double as count, min(p.value) as min, avg(p.value) as mean,
  quantile_cont(p.value, 0.95) as p95, max(p.value) as max
from point p
join wanted w using (series)
join source src on src.source_id = p.source_id
where p.value is not null and p.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by w.lane
