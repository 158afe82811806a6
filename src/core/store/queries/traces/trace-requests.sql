-- What part of their services' time the requests of one trace had. $1, $2: the time of the trace, $3: list of its services
-- (canonical entities), $4: trace id as hex. Requests are the spans by which a service is entered, by the rule of
-- service-spans.sql among those of this time. The clock of a service advances by an instant divided by the requests that are in it: a
-- request's part is what that clock advanced from its beginning to its end. What ended before the trace or began after it is left
-- out, which only moves the clock outside of the trace.
with around as (
  select c.canonical_id as service, case when s.kind in (2, 5) then 2 when s.parent_id = 0 then 1 else 0 end as standing,
    s.start_ns + src.clock_offset_ns as start_ns, greatest(s.end_ns, s.start_ns) + src.clock_offset_ns as end_ns,
    s.trace_hi = trace_hi_of($4) and s.trace_lo = trace_lo_of($4) as is_own, s.span_id
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where c.canonical_id in (select unnest($3::integer[]))
    and s.start_ns <= $2 - src.clock_offset_ns and s.end_ns >= $1 - src.clock_offset_ns
),
request as (
  from around qualify standing = max(standing) over (partition by service)
),
change as (
  select service, at_ns, sum(step) as step
  from (select service, start_ns as at_ns, 1 as step from request union all select service, end_ns, -1 from request)
  group by service, at_ns
),
counted as (
  select service, at_ns, sum(step) over (partition by service order by at_ns) as in_flight,
    lead(at_ns) over (partition by service order by at_ns) - at_ns as lasts_ns
  from change
),
clock as (
  select service, at_ns, coalesce(sum(lasts_ns / nullif(in_flight, 0)) over (
      partition by service order by at_ns rows between unbounded preceding and 1 preceding
    ), 0) as ns
  from counted
)
select r.service, count(*)::integer as requests, sum(r.end_ns - r.start_ns)::double / 1e9 as duration_s,
  sum(done.ns - begun.ns) / 1e9 as part_s, printf('%016x', arg_max(r.span_id, (r.end_ns - r.start_ns, r.span_id))) as longest
from request r
join clock begun on begun.service = r.service and begun.at_ns = r.start_ns
join clock done on done.service = r.service and done.at_ns = r.end_ns
where r.is_own
group by r.service
order by r.service
