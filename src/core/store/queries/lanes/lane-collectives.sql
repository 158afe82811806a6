-- Operations of ranks that lie in the window with any part, and what a rank lacks: the first operation that others of its
-- job and group entered after all that it has in its own record. A rank is late where it waited less than half as long for
-- the end as ranks usually did in the same operation, and at least 10 ms less: this is independent of its clock.
-- Messages between two ranks have no number of their own and are compared with nothing.
-- $1, $2: window; $3: list of {rank: entity id as recorded, lane: n, job: n}, of all ranks; $4: list of
-- the lanes asked for.
with known as (
  select unnest($3::struct(rank integer, lane integer, job integer)[], recursive := true)
),
seen as (
  -- A group's id may be used by several groups of one job: then only the list of ranks distinguishes them.
  select k.lane, k.job, c.sequence,
    coalesce(g.text, '') || ' ' || coalesce(gr.text, case when min(gr.text) over same = max(gr.text) over same then min(gr.text) over same end, '') as group_id, coalesce(o.text, '') as operation,
    coalesce(st.text, '') as state, 'collective:' || c.source_id || '/' || c.rowid as ref,
    coalesce(nullif(c.started_ns, 0), nullif(c.created_ns, 0)) + src.clock_offset_ns as entered_ns,
    nullif(c.completed_ns, 0) + src.clock_offset_ns as completed_ns,
    c.sequence >= 0 and not regexp_matches(coalesce(o.text, ''), '^((send|recv) \d|coalesced$)') as is_numbered
  from collective c
  join known k using (rank)
  join source src using (source_id)
  left join name g on g.name_id = c.group_id
  left join name gr on gr.name_id = c.group_ranks
  left join name o on o.name_id = c.operation
  left join name st on st.name_id = c.state
  window same as (partition by k.job, c.group_id)
),
reach as (select job, max(greatest(entered_ns, coalesce(completed_ns, entered_ns))) as until_ns from seen group by job),
usual as (
  select job, group_id, operation, sequence, median(completed_ns - entered_ns) as wait_ns
  from seen
  where is_numbered and completed_ns is not null
  group by all
  having count(*) > 1
),
own as (
  select s.lane, s.entered_ns as start_ns,
    coalesce(s.completed_ns, case when s.state = 'completed' then s.entered_ns else r.until_ns end) as end_ns,
    s.completed_ns is null as is_open,
    case
      when s.completed_ns is null and s.state <> 'completed' then 'pending'
      when u.wait_ns - (s.completed_ns - s.entered_ns) >= 10000000 and s.completed_ns - s.entered_ns < u.wait_ns / 2 then 'late'
      else 'through'
    end as standing,
    s.operation, case when s.is_numbered then s.sequence end as sequence, s.ref,
    (u.wait_ns - (s.completed_ns - s.entered_ns))::double / 1e9 as late_s
  from seen s
  join reach r using (job)
  left join usual u on s.is_numbered and u.job = s.job and u.group_id = s.group_id and u.operation = s.operation and u.sequence = s.sequence
  where s.entered_ns is not null
),
newest as (select lane, job, group_id, max(sequence) as sequence from seen where is_numbered group by all),
lacking as (
  select n.lane, min(s.entered_ns) as start_ns, any_value(r.until_ns) as end_ns, true as is_open, 'missing' as standing,
    any_value(s.operation) as operation, s.sequence, '' as ref, null::double as late_s
  from newest n
  join seen s on s.is_numbered and s.job = n.job and s.group_id = n.group_id and s.sequence = n.sequence + 1 and s.lane <> n.lane
  join reach r on r.job = n.job
  group by n.lane, n.job, n.group_id, s.sequence
)
select lane, (start_ns - $1)::double / 1e9 as start_s, (end_ns - $1)::double / 1e9 as end_s, is_open, standing, operation,
  sequence, ref, late_s
from (from own union all from lacking)
where lane in (select unnest($4::integer[])) and start_ns <= $2 and end_ns >= $1
order by start_s, end_s desc, ref
