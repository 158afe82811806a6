-- After training-lines.sql: metrics of training jobs from the steps that their logs state, as requests are in service-log-requests.sql: a
-- step is a request, its time the latency. Where no time is stated, it is that since the line before by the steps since. Of the
-- ranks and replicas of a job, the one with the most lines counts: all do the same steps. last_ns is where most sources of its
-- time end, for a job that stopped writes no more, and some clocks are wrong; after its last step it is done.
, chosen as (
  select service, resource, rank from line
  where service is not null and step is not null
  group by service, resource, rank
  having count(*) >= 3
  qualify row_number() over (partition by service order by count(*) desc, resource, rank) = 1
),
spaced as (
  select service, time_ns, first_ns, duration_ms, is_done,
    case when step > lag(step) over own then step - lag(step) over own else 1 end as steps,
    case when step > lag(step) over own then (time_ns - lag(time_ns) over own) / 1e6 / (step - lag(step) over own) end as since_ms
  from line
  join chosen using (service, resource, rank)
  where step is not null and isfinite(step)
  window own as (partition by service order by time_ns, step)
),
done as (
  select service, max(time_ns) filter (is_done) as done_ns from line group by service
),
extent as (
  select service, min(time_ns) as begin_ns, max(time_ns) as end_ns,
    count(*) / greatest((max(time_ns) - min(time_ns)) / 1e9, 1) as per_s
  from spaced
  group by service
),
-- Slower jobs write less often: some lines are in each bucket.
width as (
  select x.service, end_ns,
    case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 when per_s >= 3 / 60 then 60 when per_s >= 3 / 300 then 300 else 900 end * 1000000000::bigint as width_ns,
    case when done_ns >= end_ns then end_ns else greatest(end_ns, (
      select quantile_disc(src.last_ns + src.clock_offset_ns, 0.5) from source src
      where src.first_ns + src.clock_offset_ns <= x.end_ns and src.last_ns + src.clock_offset_ns >= x.begin_ns)) end as last_ns
  from extent x
  left join done using (service)
),
figures as (
  select service, width_ns, (least(time_ns // width_ns, 9223372036854775807 // width_ns - 1) + 1) * width_ns as time_ns, min(first_ns) as first_ns, any_value(last_ns) as last_ns, sum(steps)::double as requests,
    quantile_cont(case when coalesce(duration_ms, since_ms) > 0 and isfinite(coalesce(duration_ms, since_ms)) then coalesce(duration_ms, since_ms) end, [0.3, 0.5, 0.7, 0.95, 0.99]) as quantiles
  from spaced
  join width using (service)
  group by service, width_ns, time_ns // width_ns
)
select service, width_ns, time_ns, first_ns, last_ns, requests, quantiles[1] as p30, quantiles[2] as p50, quantiles[3] as p70, quantiles[4] as p95, quantiles[5] as p99,
  null::double as error_rate, requests / (width_ns / 1e9) as throughput
from figures
order by service, time_ns
