-- After training-lines.sql: the steps of each process. A line ends the steps since the line before. Where it states no time of a
-- step, that is the time since the line before by its steps; of a first line, and of one whose number goes back, it is unknown.
, numbered as (
  select entity, case when is_rank then coalesce(service::varchar, '') else '' end as job, case when is_shared then rank else '' end as rank, case when is_shared and rank = '' then place else '' end as place,
    source_id, time_ns, step, case when duration_ms > 0 and isfinite(duration_ms) then duration_ms / 1e3 end as stated_s
  from line
  where step is not null and isfinite(step)
),
followed as (
  select *, lag(step) over own as before, lag(time_ns) over own as before_ns, lag(source_id) over own as before_source,
    max(time_ns) over (partition by entity, rank, place, source_id) as source_end_ns
  from numbered
  window own as (partition by entity, rank, place order by time_ns, step)
),
spaced as (
  select *, case when step > before then step - before end as more, case when step > before then (time_ns - before_ns) / 1e9 end as since_s
  from followed
),
timed as (
  select *, coalesce(stated_s, since_s / more) as seconds,
    -- A stated time beyond a day is none.
    time_ns - (least(coalesce(more, 1) * coalesce(stated_s, since_s / more), 86400.0) * 1e9)::bigint as began_ns
  from spaced
),
took as (
  select hash(entity, rank, place) as process, case when more is not null then greatest(began_ns, before_ns) else began_ns end as start_ns,
    time_ns as end_ns, seconds, step
  from timed
  where seconds > 0
),
-- `job` of a rank: the canonical entity that it counts for.
process as (select entity, rank, max(job) as job, place, hash(entity, rank, place) as process from timed group by entity, rank, place),
finished as (select entity, max(time_ns) filter (is_done) as done_ns from line where is_done group by entity)
