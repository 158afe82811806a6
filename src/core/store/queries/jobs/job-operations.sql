-- Collective operations of the ranks of a job, as far as they were completed, per slice of a window: an operation is completed when its
-- last recorded rank has completed it. $1, $2: window; $3: slices; $4: JSON list of canonical ranks.
with member as (select unnest(json_transform($4::varchar::json, '["INTEGER"]')) as entity),
operation as (
  select max(case when c.completed_ns > 0 then c.completed_ns + src.clock_offset_ns end) as time_ns,
    bool_and(c.completed_ns > 0 or coalesce(st.text, '') = 'completed') as is_completed
  from collective c
  join source src using (source_id)
  join canonical r on r.entity_id = c.rank
  join member m on m.entity = r.canonical_id
  left join name st on st.name_id = c.state
  where c.completed_ns between 0 and 4500000000000000000 and c.sequence >= 0
  group by c.source_id, c.group_id, c.group_ranks, c.sequence, c.operation
)
select floor((time_ns - $1::bigint) / (($2::bigint - $1::bigint) / $3::integer))::integer as slice, count(*)::double as operations
from operation
where is_completed and time_ns >= $1::bigint and time_ns < $2::bigint
group by slice
order by slice
