-- Service metrics from spans, per service and bucket. Only the spans by which a service is entered count
-- (server or consumer), else its root spans, else all; otherwise a slow dependency would be counted twice.
-- The bucket is the smallest of 10, 30, 60 s in which the service has 20 such spans on average: below that a
-- p99 is one request's luck. A bucket's time is its end, when its value can first be known.
with entry as (
  select
    c.canonical_id as service, s.start_ns + src.clock_offset_ns as start_ns, s.end_ns - s.start_ns as duration_ns,
    s.status = 2 as failed,
    case when s.kind in (2, 5) then 2 when s.parent_id = 0 then 1 else 0 end as standing
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
),
best as (select service, max(standing) as standing from entry group by service),
chosen as (select entry.* from entry join best using (service, standing)),
rate as (
  select service, count(*) / greatest((max(start_ns) - min(start_ns)) / 1e9, 1) as per_s from chosen group by service
),
width as (
  select service, case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 else 60 end * 1000000000::bigint as width_ns from rate
)
select
  service, width_ns, (start_ns // width_ns + 1) * width_ns as time_ns,
  min(start_ns) as first_ns, max(start_ns) as last_ns,
  count(*)::double as spans,
  quantile_cont(duration_ns, 0.5) / 1e6 as p50, quantile_cont(duration_ns, 0.95) / 1e6 as p95,
  quantile_cont(duration_ns, 0.99) / 1e6 as p99,
  100.0 * avg(failed::integer) as error_rate, count(*) / (width_ns / 1e9) as throughput
from chosen
join width using (service)
group by service, width_ns, time_ns
order by service, time_ns
