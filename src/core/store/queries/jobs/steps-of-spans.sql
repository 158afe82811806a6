-- After training-loops.sql: the steps of each process; several threads are of one process.
, numbered as (select entity, rank, job, place, min(thread) as process, list(distinct thread) as threads from threaded group by entity, rank, job, place),
threads as (select process, unnest(threads) as thread from numbered),
took as materialized (
  select process, start_ns, end_ns, (end_ns - start_ns) / 1e9 as seconds, null::double as step
  from step
  join threads using (thread)
),
process as (select entity, rank, job, place, process from numbered),
finished as (select null::integer as entity, null::bigint as done_ns where false)
