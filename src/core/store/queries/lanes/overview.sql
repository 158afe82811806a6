-- Events and logs per bucket of the window; spans are counted apart. $1, $2: window; $3: buckets.
with hits as (
  select 'event' as kind, time_ns + clock_offset_ns as time_ns from event join source using (source_id)
  union all
  select 'log', time_ns + clock_offset_ns from log join source using (source_id)
)
select kind, least(floor((time_ns - $1)::double * $3 / greatest($2 - $1, 1)), $3 - 1)::integer as bucket, count(*) as count
from hits
where time_ns between $1 and $2
group by kind, bucket
