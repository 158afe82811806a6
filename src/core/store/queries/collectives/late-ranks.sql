-- Last ranks of completed collectives, and how long the others waited: the last rank waits least, independent of clocks.
-- A rank is late if it waited less than half as long as its peers usually did
-- in the same operation, and at least $1 nanoseconds less; of two ranks the other is the peer. One row per recording, group and rank that ever was;
-- `operations` are those of the group that several ranks recorded as completed. Messages between two ranks have no number.
with seen as (
  select c.source_id, c.rank, coalesce(g.text, '') || ' ' || coalesce(gr.text, '') as group_id, coalesce(gn.text, g.text, '') as group_name,
    coalesce(o.text, '') as operation, c.sequence, 'collective:' || c.source_id || '/' || c.rowid as ref,
    coalesce(nullif(c.started_ns, 0), nullif(c.created_ns, 0)) as entered_ns, c.completed_ns, src.clock_offset_ns
  from collective c
  join source src using (source_id)
  left join name g on g.name_id = c.group_id
  left join name gn on gn.name_id = c.group_name
  left join name gr on gr.name_id = c.group_ranks
  left join name o on o.name_id = c.operation
  where c.completed_ns <> 0 and c.sequence >= 0 and not regexp_matches(coalesce(o.text, ''), '^((send|recv) \d|coalesced$)')
),
operation as (
  select source_id, group_id, any_value(group_name) as group_name, operation, sequence, count(distinct rank) as ranks,
    min(completed_ns + clock_offset_ns) as time_ns, case when count(*) = 2 then max(completed_ns - entered_ns) else median(completed_ns - entered_ns) end as usual_ns,
    min(completed_ns - entered_ns) as least_ns, arg_min(rank, (completed_ns - entered_ns, ref)) as last_rank,
    arg_min(ref, (completed_ns - entered_ns, ref)) as ref
  from seen
  where entered_ns is not null and completed_ns >= entered_ns
  group by source_id, group_id, operation, sequence
  having count(distinct rank) > 1 and count(*) = count(distinct rank)
),
judged as (
  select *, usual_ns - least_ns >= $1::bigint and least_ns < usual_ns / 2 as is_late,
    count(*) over (partition by source_id, group_id) as operations
  from operation
)
select source_id, any_value(group_name) as group_name, coalesce(c.canonical_id, last_rank) as entity, max(ranks)::integer as ranks,
  max(operations)::double as operations, count(*)::double as late, sum(usual_ns - least_ns)::double / 1e9 as lost_s,
  min(time_ns) as first_ns, max(time_ns) as last_ns,
  array_to_string(list_slice(list(ref order by least_ns - usual_ns, ref), 1, 5), ' ') as refs
from judged
left join canonical c on c.entity_id = last_rank
where is_late
group by source_id, group_id, coalesce(c.canonical_id, last_rank)
order by source_id, group_id, entity
