-- Service metrics from spans, per service and bucket. Only the spans by which a service is entered count
-- (server or consumer), else its root spans, else all; otherwise a slow dependency would be counted twice.
-- The bucket is the smallest of 10, 30, 60 s in which the service has 20 such spans on average: below that a
-- p99 is one request's luck. A bucket's time is its end, when its value can first be known.
-- Two scans of few columns, and durations kept once for all quantiles: 50 M spans must fit the engine's memory.
with seen as (
  select source_id, service, case when kind in (2, 5) then 2 when parent_id = 0 then 1 else 0 end as standing,
    count(*) as spans, min(start_ns) as first_start_ns, max(start_ns) as last_start_ns
  from span
  group by all
),
rate as (
  select c.canonical_id as service, standing,
    sum(spans) / greatest((max(last_start_ns + src.clock_offset_ns) - min(first_start_ns + src.clock_offset_ns)) / 1e9, 1) as per_s
  from seen
  join source src using (source_id)
  join canonical c on c.entity_id = seen.service
  group by c.canonical_id, standing
  qualify standing = max(standing) over (partition by c.canonical_id)
),
-- Per name of a service, so that a span finds its bucket in one small join.
width as (
  select c.entity_id, rate.service, standing,
    case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 else 60 end * 1000000000::bigint as width_ns
  from rate
  join canonical c on c.canonical_id = rate.service
),
chosen as (
  select w.service, w.width_ns, s.start_ns + src.clock_offset_ns as start_ns, s.end_ns - s.start_ns as duration_ns, s.status = 2 as failed
  from span s
  join width w on w.entity_id = s.service and w.standing = case when s.kind in (2, 5) then 2 when s.parent_id = 0 then 1 else 0 end
  join source src using (source_id)
),
figures as (
  select
    service, width_ns, (least(start_ns // width_ns, 9223372036854775807 // width_ns - 1) + 1) * width_ns as time_ns,
    min(start_ns) as first_ns, max(start_ns) as last_ns, max(start_ns + duration_ns) as last_end_ns,
    count(*)::double as requests, quantile_cont(duration_ns, [0.3, 0.5, 0.7, 0.95, 0.99]) as quantiles,
    100.0 * avg(failed::integer) as error_rate, count(*) / (width_ns / 1e9) as throughput
  from chosen
  group by service, width_ns, time_ns
)
select service, width_ns, time_ns, first_ns, last_ns, last_end_ns, requests,
  quantiles[1] / 1e6 as p30, quantiles[2] / 1e6 as p50, quantiles[3] / 1e6 as p70, quantiles[4] / 1e6 as p95, quantiles[5] / 1e6 as p99, error_rate, throughput
from figures
order by service, time_ns
