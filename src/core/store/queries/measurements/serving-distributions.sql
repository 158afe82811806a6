-- What histograms and summaries measure of the serving of models, by slices of time: of all series of an entity together (`replica`
-- is null) and of each replica, as what labels its series. Of requests in between two collections only the mean is known: `middle`
-- and `high` are means of collections. Durations are in seconds.
-- $1: JSON list of {metric, quantity}; $2: length of a slice, nanoseconds; $3: rows at most, those of replicas last.
with known as (
  select unnest(json_transform($1::varchar::json, '[{"metric": "VARCHAR", "quantity": "VARCHAR"}]'), recursive := true)
),
chosen as (
  select s.series_id, c.canonical_id as service, k.quantity, s.temporality = 2 or s.kind = 'summary' as is_cumulative,
    case s.unit when 'ms' then 1e-3 when 'us' then 1e-6 when 'ns' then 1e-9 else 1 end as factor,
    case when json_valid(s.attributes) then s.attributes end as stated
  from series s
  join known k using (metric)
  join canonical c on c.entity_id = s.entity
),
labelled as (
  select * exclude (stated), left(coalesce(stated->>'$."gen_ai.request.model"', ''), 200) as model,
    left(concat_ws('/', coalesce(stated->>'$."k8s.pod.name"', stated->>'$.pod', stated->>'$.pod_name', stated->>'$."service.instance.id"',
      stated->>'$.instance', stated->>'$.replica', stated->>'$."host.name"', stated->>'$.Hostname'), stated->>'$.engine'), 200) as replica
  from chosen
),
stepped as (
  select l.*, d.time_ns + src.clock_offset_ns as time_ns, d.count, d.sum,
    case when is_cumulative then lag(d.count) over w else 0 end as count_before,
    case when is_cumulative then lag(d.sum) over w else 0 end as sum_before
  from labelled l
  join distribution d on d.series = l.series_id
  join source src using (source_id)
  where isfinite(d.count) and isfinite(d.sum)
  window w as (partition by d.series, d.source_id order by d.time_ns)
),
-- A count that fell was reset, and the first one counts from an unknown past.
collected as (
  select *, count - count_before as requests, factor * (sum - sum_before) as total
  from stepped
  where count > count_before and sum >= sum_before
)
select service, case when grouping(replica) = 0 then replica end as replica, nullif(case when count(distinct model) = 1 then any_value(model) end, '') as model,
  time_ns // $2::bigint as slice, quantity, sum(requests)::double as readings, sum(total) / sum(requests) as mean, median(total / requests) as middle,
  sum(total) as total, max(total / requests) as high, 'metric:' || arg_max(series_id, total) || '@' || arg_max(time_ns, total) as ref
from collected
group by grouping sets ((service, time_ns // $2::bigint, quantity), (service, replica, time_ns // $2::bigint, quantity))
order by (case when grouping(replica) = 0 then 1 else 0 end), service, slice, quantity, replica
limit $3::bigint
