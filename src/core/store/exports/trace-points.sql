-- Data points of a window ($rows: a condition on the point `t`), series by series; times as those of spans. NULL is a gap.
select
  t.series, (t.time_ns + src.clock_offset_ns - $base)::double as time, t.time_ns + src.clock_offset_ns as time_ns,
  case when t.start_ns = 0 then 0 else t.start_ns + src.clock_offset_ns end as start_ns,
  coalesce(t.value, 0) as value, (t.value is not null and isfinite(t.value))::utinyint as is_number
from point t
join source src using (source_id)
where $rows
order by t.series, t.time_ns + src.clock_offset_ns, t.start_ns, t.value
