-- What metrics measure of the serving of models and of GPUs' load, by slices of time: of all series of an entity together
-- (`replica` is null) and, for services, of each replica, as what labels its series. Counters count their increase, a fall is a reset; gauges
-- their mean, which is that of the replicas where there are several.
-- $1: JSON list of {metric, quantity}; $2: length of a slice, nanoseconds; $3: rows at most, those of replicas last.
with known as (
  select unnest(json_transform($1::varchar::json, '[{"metric": "VARCHAR", "quantity": "VARCHAR"}]'), recursive := true)
),
chosen as (
  select s.series_id, c.canonical_id as service, k.quantity, s.kind = 'sum' and s.monotonic = 1 as counts, s.temporality,
    case when json_valid(s.attributes) then s.attributes end as stated, e.kind <> 'gpu' as has_replicas
  from series s
  join known k using (metric)
  join canonical c on c.entity_id = s.entity
  join entity e on e.entity_id = c.canonical_id
),
labelled as (
  select *, left(coalesce(stated->>'$."gen_ai.request.model"', ''), 200) as model,
    left(concat_ws('/', coalesce(stated->>'$."k8s.pod.name"', stated->>'$.pod', stated->>'$.pod_name', stated->>'$."service.instance.id"',
      stated->>'$.instance', stated->>'$.replica', stated->>'$."host.name"', stated->>'$.Hostname'), stated->>'$.engine'), 200) as replica
  from chosen
),
stepped as (
  select l.*, p.time_ns + src.clock_offset_ns as time_ns, p.value, p.value - lag(p.value) over (partition by p.series order by p.time_ns) as step
  from labelled l
  join point p on p.series = l.series_id
  join source src using (source_id)
  where isfinite(p.value)
),
reading as (
  select *, case when not counts or temporality = 1 then value when step >= 0 then step end as read from stepped
)
select service, case when grouping(replica) = 0 then replica end as replica, nullif(case when count(distinct model) = 1 then any_value(model) end, '') as model,
  time_ns // $2::bigint as slice, quantity, count(*)::double as readings, avg(read) as mean, median(read) as middle, sum(read) as total, max(read) as high,
  'metric:' || arg_max(series_id, read) || '@' || arg_max(time_ns, read) as ref
from reading
where read between 0 and 1e15
group by grouping sets ((service, time_ns // $2::bigint, quantity), (service, replica, time_ns // $2::bigint, quantity))
having grouping(replica) = 1 or bool_or(has_replicas)
order by (case when grouping(replica) = 0 then 1 else 0 end), service, slice, quantity, replica
limit $3::bigint
