-- Spans per bucket of a narrow window, one by one. $1, $2: window; $3: buckets.
select 'span' as kind,
  least(floor((s.start_ns + src.clock_offset_ns - $1)::double * $3 / greatest($2 - $1, 1)), $3 - 1)::integer as bucket,
  count(*) as count
from span s
join source src using (source_id)
where s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by bucket
