-- After training-loops.sql: the steps of each process; several threads are of one process.
, took as (
  select thread as process, start_ns, end_ns, (end_ns - start_ns) / 1e9 as seconds, null::double as step
  from step
),
process as (select t.entity, n.rank, n.job, n.place, n.thread as process from named n join (select distinct thread, entity from step) t using (thread)),
finished as (select null::integer as entity, null::bigint as done_ns where false)
