-- Spans of a window compared with those of a baseline: per service, span name and kind, and once more per instance
-- (`of_instance`). Self time is a span's duration without the union of its children's times. An error is originating
-- when no child failed: the failure began there or beyond. `above` counts spans whose self time exceeds that of 95 % of
-- the baseline's. `callee` is the service that children of another service mostly belong to, `answered` how many had one.
-- A call of a service that records no spans of its own counts as that service's span, as its caller measured it (`as_called`).
-- $1, $2: baseline, $3, $4: window, nanoseconds on the case's clock. $5: a power of two; one trace of so many is looked
-- at, whole, because joining all spans with their parents does not fit the engine's memory from 20 M spans on.
with peer as (
  select id, canonical_id from untraced_services
),
part as materialized (
  select s.trace_hi, s.trace_lo, s.span_id, s.parent_id, coalesce(c.canonical_id, -1) as service, s.name, s.resource,
    s.kind, s.status = 2 as failed, peer.canonical_id as peer, s.start_ns + src.clock_offset_ns as start_ns, s.end_ns + src.clock_offset_ns as end_ns,
    case
      when s.start_ns + src.clock_offset_ns >= $1 and s.start_ns + src.clock_offset_ns < $2 then 0
      when s.start_ns + src.clock_offset_ns >= $3 and s.start_ns + src.clock_offset_ns < $4 then 1
    end as phase
  from span s
  join source src using (source_id)
  left join canonical c on c.entity_id = s.service
  left join peer on peer.id = case when s.kind in (3, 4) then peer_name(s.attributes) end
  -- Children may begin a while after the phase in which their parents do.
  where s.start_ns between least($1, $3) - src.clock_offset_ns and greatest($2, $4) + 60000000000 - src.clock_offset_ns
    and xor(s.trace_hi, s.trace_lo) & ($5::ubigint - 1) = 0
),
child as (
  select p.trace_hi, p.trace_lo, p.span_id, c.failed, case when c.service <> p.service then c.service end as callee,
    greatest(c.start_ns, p.start_ns) as from_ns, least(c.end_ns, p.end_ns) as to_ns
  from part c
  join part p on p.trace_hi = c.trace_hi and p.trace_lo = c.trace_lo and p.span_id = c.parent_id
  where c.parent_id <> 0 and p.phase is not null
),
stepped as (
  select *, max(to_ns) over (
    partition by trace_hi, trace_lo, span_id order by from_ns, to_ns rows between unbounded preceding and 1 preceding
  ) as reached_ns
  from child
),
family as (
  select trace_hi, trace_lo, span_id, bool_or(failed) as child_failed, any_value(callee) as callee,
    sum(greatest(0, to_ns - greatest(from_ns, coalesce(reached_ns, from_ns))))::bigint as covered_ns
  from stepped
  group by all
),
own as (
  select s.trace_hi, s.trace_lo, s.span_id, s.name, s.kind, s.phase, s.start_ns,
    s.peer is not null and f.callee is null as as_called, if(as_called, s.peer, s.service) as service, if(not as_called, s.resource, null) as resource,
    s.end_ns - s.start_ns as total_ns, greatest(0, s.end_ns - s.start_ns - coalesce(f.covered_ns, 0)) as self_ns,
    s.failed, s.failed and not coalesce(f.child_failed, false) as originating, f.callee,
    as_called or s.parent_id = 0 or parent.service is distinct from s.service as entry
  from part s
  -- Both joins by equality alone: one more condition beside it and DuckDB compares every span with every other.
  left join family f on f.trace_hi = s.trace_hi and f.trace_lo = s.trace_lo and f.span_id = s.span_id
  left join part parent on parent.trace_hi = s.trace_hi and parent.trace_lo = s.trace_lo and parent.span_id = s.parent_id
  where s.phase is not null and s.service >= 0
),
usual as (
  select service, name, kind, quantile_cont(self_ns, 0.95) as high_ns from own where phase = 0 group by all
),
instance as (
  select resource_id, coalesce(attributes ->> '$."k8s.pod.name"', attributes ->> '$."service.instance.id"',
    attributes ->> '$."host.name"', '') as id
  from resource
),
figures as (
  select o.service, o.name, o.kind, o.phase, coalesce(i.id, '') as instance, grouping(coalesce(i.id, '')) = 0 as of_instance,
    any_value(o.as_called) as as_called, count(*)::double as spans, sum(o.entry::integer)::double as entries, sum(o.failed::integer)::double as errors,
    sum(o.originating::integer)::double as originating, count(o.callee)::double as answered, mode(o.callee) as callee,
    sum((o.self_ns > u.high_ns)::integer)::double as above,
    avg(o.self_ns) / 1e6 as self_mean_ms, quantile_cont(o.self_ns, [0.5, 0.95]) as self_ns,
    coalesce(avg(o.total_ns) filter (o.entry), 0) / 1e6 as entry_mean_ms,
    coalesce(arg_max((o.trace_hi, o.trace_lo, o.span_id), o.start_ns) filter (o.originating),
      arg_max((o.trace_hi, o.trace_lo, o.span_id), o.self_ns)) as example
  from own o
  left join usual u on u.service = o.service and u.name = o.name and u.kind = o.kind
  left join instance i on i.resource_id = o.resource
  group by grouping sets ((o.service, o.name, o.kind, o.phase), (o.service, o.name, o.kind, o.phase, coalesce(i.id, '')))
)
select f.service, coalesce(n.text, '') as name, f.kind::integer as kind, f.phase, f.instance, f.of_instance, as_called, spans, entries, errors, originating, answered,
  coalesce(callee, -1) as callee, coalesce(above, 0) as above, self_mean_ms, self_ns[1] / 1e6 as self_p50_ms, self_ns[2] / 1e6 as self_p95_ms, entry_mean_ms,
  printf('span:%016x%016x/%016x', example[1], example[2], example[3]) as ref
from figures f
left join name n on n.name_id = f.name
where spans >= 3 or originating > 0
-- A service whose span names hold ids has as many names as requests: the frequent ones are enough.
order by spans desc, service, name, kind, phase, instance
limit 20000
