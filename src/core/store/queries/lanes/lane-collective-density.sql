-- Operations that begin in each bucket, and those that were not through when the recording ended. $1, $2: window; $3: JSON
-- list of ranks (entity ids, as recorded); $4: buckets.
select c.rank,
  least(floor((coalesce(nullif(c.started_ns, 0), c.created_ns) + src.clock_offset_ns - $1)::double * $4 / greatest($2 - $1, 1)), $4 - 1)::integer as bucket,
  count(*)::integer as count,
  count(*) filter (c.completed_ns = 0 and coalesce(st.text, '') <> 'completed')::integer as failed
from collective c
join source src using (source_id)
left join name st on st.name_id = c.state
where c.rank in (select unnest($3::integer[]))
  and coalesce(nullif(c.started_ns, 0), c.created_ns) between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by c.rank, bucket
