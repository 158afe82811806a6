-- Operations that the ranks of a job completed together, per slice of time: of recordings in which at least one is incomplete, as a
-- flight recorder leaves them. Slices hold about four operations, and last a second at least; a job has at most 1,000 of them.
with of_job as (
  select r.canonical_id as rank, any_value(j.canonical_id) as job
  from edge e
  join name k on k.name_id = e.kind
  join canonical r on r.entity_id = e.from_entity
  join canonical j on j.entity_id = e.to_entity
  join entity named on named.entity_id = j.canonical_id
  where k.text = 'member_of' and named.kind = 'job'
  group by r.canonical_id
  having count(distinct j.canonical_id) = 1
),
incomplete as (
  select distinct source_id from collective c join name n on n.name_id = c.state where n.text <> 'completed' and c.completed_ns = 0
),
operation as (
  select j.job, max(c.completed_ns + src.clock_offset_ns) as time_ns
  from collective c
  join incomplete using (source_id)
  join source src using (source_id)
  join canonical r on r.entity_id = c.rank
  join of_job j on j.rank = r.canonical_id
  -- Until the year 2112: what a broken dump states beyond would exceed 64 bits below.
  where c.completed_ns between 1 and 4500000000000000000 and c.sequence >= 0
  -- Ranks may come in files of their own; a later run counts anew.
  group by j.job, c.completed_ns // 1800000000000, c.group_id, c.sequence, c.operation
),
extent as (
  select job, min(time_ns) as first_ns, max(time_ns) as last_ns,
    greatest(1000000000, (max(time_ns) - min(time_ns)) // greatest(1, count(*) // 4), (max(time_ns) - min(time_ns)) // 1000) as width_ns
  from operation
  group by job
)
select o.job, x.first_ns, x.last_ns, x.width_ns, ((o.time_ns - x.first_ns) // x.width_ns)::integer as slice, count(*)::double as operations
from operation o
join extent x using (job)
group by all
order by o.job, slice
