-- Service metrics as callers measured them, of services that record no spans of their own (a database, a cache, a service of
-- others): spans of clients and producers that name such a service and have no child in another one, in buckets as of
-- service-spans.sql. What the client and the way add is in them.
-- $1: a power of two; one trace of so many is looked at, whole. `throughput` is of all, `requests` of those that were looked at.
with peer as (
  select id, canonical_id from untraced_services
),
called as (
  select s.trace_hi, s.trace_lo, s.span_id, peer.canonical_id as service, s.service as caller,
    s.start_ns + src.clock_offset_ns as start_ns, s.end_ns - s.start_ns as duration_ns, s.status = 2 as failed
  from span s
  join peer on peer.id = case when s.kind in (3, 4) then peer_name(s.attributes) end
  join source src using (source_id)
  where xor(s.trace_hi, s.trace_lo) & ($1::ubigint - 1) = 0
),
chosen as (
  select service, start_ns, duration_ns, failed
  from called
  anti join (
    select c.trace_hi, c.trace_lo, c.parent_id as span_id
    from span c
    join called on called.trace_hi = c.trace_hi and called.trace_lo = c.trace_lo and called.span_id = c.parent_id
    where c.service is distinct from called.caller
  ) answered using (trace_hi, trace_lo, span_id)
),
width as (
  select service, case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 else 60 end * 1000000000::bigint as width_ns
  from (select service, count(*) / greatest((max(start_ns) - min(start_ns)) / 1e9, 1) as per_s from chosen group by service)
),
figures as (
  select
    service, width_ns, (least(start_ns // width_ns, 9223372036854775807 // width_ns - 1) + 1) * width_ns as time_ns,
    min(start_ns) as first_ns, max(start_ns) as last_ns, max(start_ns + duration_ns) as last_end_ns,
    count(*)::double as requests, quantile_cont(duration_ns, [0.3, 0.5, 0.7, 0.95, 0.99]) as quantiles,
    100.0 * avg(failed::integer) as error_rate, $1::double * count(*) / (width_ns / 1e9) as throughput
  from chosen
  join width using (service)
  group by service, width_ns, time_ns
)
select service, width_ns, time_ns, first_ns, last_ns, last_end_ns, requests,
  quantiles[1] / 1e6 as p30, quantiles[2] / 1e6 as p50, quantiles[3] / 1e6 as p70, quantiles[4] / 1e6 as p95, quantiles[5] / 1e6 as p99, error_rate, throughput
from figures
order by service, time_ns
