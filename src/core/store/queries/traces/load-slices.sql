-- After training-loops.sql: how long the processes of a training job waited for input, each step with its loads, summed over slices of
-- time. A load counts with the step that it is in, or with the one that follows it at once. A process of a service without steps
-- is measured from load to load, by names that only a data loader has.
-- $5: share of a step from which it stalls; $6: rows at most, as far as slices go.
-- Loads are without what an earlier one covers: one is often recorded both as an operator and as an annotation.
, load as (
  select entity, thread, is_sure, ref, greatest(start_ns, coalesce(before_ns, start_ns)) as start_ns, end_ns
  from (
    select *, max(end_ns) over (partition by thread order by start_ns, end_ns desc, ref rows between unbounded preceding and 1 preceding) as before_ns
    from (
      select *, 'span:' || printf('%016x%016x', trace_hi, trace_lo) || '/' || printf('%016x', span_id) as ref
      from training
      where is_load
    )
  )
  where before_ns is null or end_ns > before_ns
),
sought as (
  select l.*, s.start_ns as around_ns, s.end_ns as around_end_ns
  from load l
  asof left join step s on s.thread = l.thread and s.start_ns <= l.start_ns
),
followed as (
  select l.*, s.start_ns as next_ns, s.end_ns as next_end_ns
  from sought l
  asof left join step s on s.thread = l.thread and s.start_ns >= l.start_ns
),
matched as (
  select thread, ref,
    case when start_ns < around_end_ns then around_ns when next_ns - end_ns <= 0.1 * (next_end_ns - next_ns + end_ns - start_ns) then next_ns end as step_ns,
    case when start_ns < around_end_ns then least(end_ns, around_end_ns) - start_ns else least(end_ns, next_ns) - start_ns end as load_ns,
    case when start_ns < around_end_ns then 0 else next_ns - start_ns end as before_ns
  from followed
),
of_step as (
  select thread, step_ns, sum(load_ns) as load_ns, max(before_ns) as before_ns, arg_max(ref, load_ns) as ref
  from matched
  where step_ns is not null
  group by thread, step_ns
),
cycle as (
  select s.entity, s.thread, true as has_steps, s.start_ns - coalesce(o.before_ns, 0) as start_ns, s.end_ns, coalesce(o.load_ns, 0) as load_ns, o.ref
  from step s
  left join of_step o on o.thread = s.thread and o.step_ns = s.start_ns
  where s.thread in (select thread from load)
  union all
  select entity, thread, false, start_ns, next_ns, end_ns - start_ns, ref
  from (select *, lead(start_ns) over (partition by thread order by start_ns) as next_ns from load where is_sure)
  where next_ns is not null and entity not in (select entity from step)
),
paced as (
  select greatest(1, (max(end_ns) - min(start_ns)) // greatest(100, least(20000, $6::bigint // count(distinct thread)))) as slice_ns
  from cycle
)
select c.entity, n.rank, n.place, n.job, n.name as thread, case when c.has_steps then 'steps' else 'loads' end as measured, count(*)::double as steps,
  count(*) filter (c.load_ns >= $5::double * (c.end_ns - c.start_ns))::double as stalled, sum(c.end_ns - c.start_ns)::double / 1e9 as time_s,
  sum(c.load_ns)::double / 1e9 as load_s, max(c.load_ns)::double / 1e9 as longest_s, coalesce(arg_max(c.ref, c.load_ns), '') as ref,
  min(c.start_ns) as start_ns, max(c.end_ns) as end_ns
from cycle c
join named n using (thread), paced
group by c.entity, n.rank, n.place, n.job, n.name, c.has_steps, c.start_ns // slice_ns
order by c.entity, n.rank, n.place, n.name, start_ns
limit 5 * $6::bigint
