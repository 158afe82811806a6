-- After `spaced` and `until`: metrics of training jobs from the steps of their processes, as requests are in service-log-requests.sql: a
-- step is a request, its time the latency.
, extent as (
  select service, name, count(*) / greatest((max(time_ns) - min(time_ns)) / 1e9, 1) as per_s from spaced group by service, name
),
-- Slower jobs do fewer steps: some of them are in each bucket.
width as (
  select service, name, case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 when per_s >= 3 / 60 then 60 when per_s >= 3 / 300 then 300 else 900 end * 1000000000::bigint as width_ns
  from extent
),
figures as (
  select service, name, width_ns, (least(time_ns // width_ns, 9223372036854775807 // width_ns - 1) + 1) * width_ns as time_ns,
    min(first_ns) as first_ns, max(time_ns) as end_ns, sum(steps)::double as requests,
    quantile_cont(case when took_ms > 0 and isfinite(took_ms) then took_ms end, [0.3, 0.5, 0.7, 0.95, 0.99]) as quantiles
  from spaced
  join width using (service, name)
  group by service, name, width_ns, time_ns // width_ns
)
select service, name, width_ns, time_ns, first_ns, coalesce(u.last_ns, end_ns) as last_ns, requests, quantiles[1] as p30, quantiles[2] as p50,
  quantiles[3] as p70, quantiles[4] as p95, quantiles[5] as p99, null::double as error_rate, requests / (width_ns / 1e9) as throughput
from figures
left join until u using (service)
order by service, name, time_ns
