-- After training-lines.sql, before step-figures.sql: the steps that the logs of training jobs state. Where no time is stated, it is that
-- since the line before by the steps since. Of the ranks and replicas of a job, the one with the most lines counts: all do the same
-- steps. They go on to where most sources of their time end, for a job that stopped writes no more, and some clocks are wrong; after
-- its last step it is done.
, chosen as (
  select service, resource, rank from line
  where service is not null and step is not null
  group by service, resource, rank
  having count(*) >= 3
  qualify row_number() over (partition by service order by count(*) desc, resource, rank) = 1
),
spaced as (
  select service, '' as name, time_ns, first_ns, coalesce(duration_ms, since_ms) as took_ms, steps
  from (
    select *, case when step > before then step - before else 1 end as steps,
      case when step > before then (time_ns - before_ns) / 1e6 / (step - before) end as since_ms
    from (
      select service, time_ns, first_ns, duration_ms, step, lag(step) over own as before, lag(time_ns) over own as before_ns
      from line
      join chosen using (service, resource, rank)
      where step is not null and isfinite(step)
      window own as (partition by service order by time_ns, step)
    )
  )
),
done as (select service, max(time_ns) filter (is_done) as done_ns from line group by service),
until as (
  select x.service, case when done_ns >= x.end_ns then x.end_ns else greatest(x.end_ns, (
    select quantile_disc(src.last_ns + src.clock_offset_ns, 0.5) from source src
    where src.first_ns + src.clock_offset_ns <= x.end_ns and src.last_ns + src.clock_offset_ns >= x.begin_ns)) end as last_ns
  from (select service, min(time_ns) as begin_ns, max(time_ns) as end_ns from spaced group by service) x
  left join done using (service)
)
