-- What part of their services' time the requests of a window had, by dimension. $1, $2: the window, ns. Requests and their parts as
-- in trace-requests.sql; only what lies within the window counts. dimension: service, model, tenant, route, hour (UTC, of the
-- beginning); value null: not recorded. within_n: requests, each by the share of its time that lies within the window, as its tokens are. Tenant and route are those of the request's span, else the only ones that spans of its trace
-- in the window name. Tokens are those of the requests' own spans; counted_s: part of the requests that state some.
with around as (
  select c.canonical_id as service, case when s.kind in (2, 5) then 2 when s.parent_id = 0 then 1 else 0 end as standing,
    s.start_ns + src.clock_offset_ns as begun_ns, greatest(s.end_ns, s.start_ns) + src.clock_offset_ns as done_ns,
    s.trace_hi, s.trace_lo, s.attributes
  from main.span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where s.start_ns < $2 - src.clock_offset_ns and s.end_ns >= $1 - src.clock_offset_ns
),
placed as (
  select trace_hi, trace_lo,
    coalesce(attributes->>'$."tenant.id"', attributes->>'$."tenant_id"', attributes->>'$."tenant"', attributes->>'$."customer.id"',
      attributes->>'$."organization.id"') as tenant,
    attributes->>'$."http.route"' as route
  from around
  where attributes like '%tenant%' or attributes like '%"http.route"%' or attributes like '%"customer.id"%'
    or attributes like '%"organization.id"%'
),
in_trace as (
  select trace_hi, trace_lo, case when count(distinct tenant) = 1 then min(tenant) end as tenant,
    case when count(distinct route) = 1 then min(route) end as route
  from placed
  group by trace_hi, trace_lo
),
request as (
  select service, greatest(begun_ns, $1) as start_ns, least(done_ns, $2) as end_ns, begun_ns, trace_hi, trace_lo, attributes,
    coalesce((least(done_ns, $2) - greatest(begun_ns, $1)) / nullif(done_ns - begun_ns, 0), 1) as within
  from (from around qualify standing = max(standing) over (partition by service))
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
),
described as (
  select r.service, r.within, (done.ns - begun.ns) / 1e9 as part_s,
    coalesce(r.attributes->>'$."gen_ai.request.model"', r.attributes->>'$."gen_ai.response.model"',
      r.attributes->>'$."inference.model_name"', r.attributes->>'$."llm.model_name"') as model,
    coalesce(r.attributes->>'$."tenant.id"', r.attributes->>'$."tenant_id"', r.attributes->>'$."tenant"',
      r.attributes->>'$."customer.id"', r.attributes->>'$."organization.id"', t.tenant) as tenant,
    coalesce(r.attributes->>'$."http.route"', t.route) as route,
    strftime(make_timestamp_ns(r.begun_ns), '%Y-%m-%dT%H:00Z') as hour,
    coalesce(try_cast(r.attributes->>'$."gen_ai.usage.input_tokens"' as double),
      try_cast(r.attributes->>'$."gen_ai.usage.prompt_tokens"' as double),
      try_cast(r.attributes->>'$."inference.input_tokens"' as double)) as input_tokens,
    coalesce(try_cast(r.attributes->>'$."gen_ai.usage.output_tokens"' as double),
      try_cast(r.attributes->>'$."gen_ai.usage.completion_tokens"' as double),
      try_cast(r.attributes->>'$."inference.output_tokens"' as double)) as output_tokens
  from request r
  join clock begun on begun.service = r.service and begun.at_ns = r.start_ns
  join clock done on done.service = r.service and done.at_ns = r.end_ns
  left join in_trace t on t.trace_hi = r.trace_hi and t.trace_lo = r.trace_lo
)
select e.id as service,
  case when grouping(model) = 0 then 'model' when grouping(tenant) = 0 then 'tenant' when grouping(route) = 0 then 'route'
    when grouping(hour) = 0 then 'hour' else 'service' end as dimension,
  coalesce(model, tenant, route, hour) as value,
  count(*)::integer as requests, sum(within)::double as within_n, sum(part_s)::double as part_s,
  round(sum(input_tokens * within) filter (where input_tokens >= 0)) as input_tokens,
  round(sum(output_tokens * within) filter (where output_tokens >= 0)) as output_tokens,
  coalesce(sum(part_s) filter (where input_tokens >= 0 or output_tokens >= 0), 0)::double as counted_s
from described d
join entity e on e.entity_id = d.service
group by grouping sets ((e.id), (e.id, model), (e.id, tenant), (e.id, route), (e.id, hour))
order by service, dimension, part_s desc, value
limit 5000
