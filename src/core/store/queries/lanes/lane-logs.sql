-- Log records per bucket by severity, in the ranges of OpenTelemetry's severity numbers: 17 and more error, 13 warn.
-- $1, $2: window; $3: list of resources; $4: buckets.
select l.resource,
  least(floor((l.time_ns + src.clock_offset_ns - $1)::double * $4 / greatest($2 - $1, 1)), $4 - 1)::integer as bucket,
  count(*) filter (l.severity >= 17)::integer as error, count(*) filter (l.severity between 13 and 16)::integer as warning,
  count(*) filter (l.severity < 13)::integer as other
from log l
join source src using (source_id)
where l.resource in (select unnest($3::integer[]))
  and l.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by l.resource, bucket
