-- Spans that begin in each bucket, and those that failed. The window is put on each source's own clock, so that it meets the
-- zone maps of start_ns. $1, $2: window; $3: list of services (entity ids, as recorded); $4: buckets.
select s.service,
  least(floor((s.start_ns + src.clock_offset_ns - $1)::double * $4 / greatest($2 - $1, 1)), $4 - 1)::integer as bucket,
  count(*)::integer as count, count(*) filter (s.status = 2)::integer as failed
from span s
join source src using (source_id)
where s.service in (select unnest($3::integer[]))
  and s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by s.service, bucket
