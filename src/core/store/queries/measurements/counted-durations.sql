-- Time and number of requests (or tokens) between collections, where only sums were recorded: counters of both, and summaries, of whose
-- requests `count` and `sum` grow. By what is counted (series of the same model, or one summary), replica and slice. A fall is a reset and
-- counts nothing, and so does the first value, which counts from an unknown past. Slices are as long as collections are apart.
-- $1: JSON list of counters {metric, part: time or count, of}; $2: numbers of summaries whose `of` is request, comma separated.
with known as (
  select unnest(json_transform($1::varchar::json, '[{"metric": "VARCHAR", "part": "VARCHAR", "of": "VARCHAR"}]'), recursive := true)
),
summary as (
  select unnest(string_split(nullif($2::varchar, ''), ','))::integer as series_id
),
chosen as (
  select s.series_id, s.entity, s.temporality, k.part, k.of, s.unit, s.attributes, '' as own
  from series s join known k using (metric)
  where s.kind = 'sum' and s.monotonic = 1
  union all
  select s.series_id, s.entity, 2, null, 'request', s.unit, s.attributes, s.series_id::varchar
  from series s join summary using (series_id)
),
labelled as (
  select c.canonical_id as service, h.* exclude (entity, attributes), coalesce(h.attributes, '') as attributes,
    case when json_valid(h.attributes) then left(coalesce(h.attributes::json->>'$."gen_ai.request.model"', ''), 200) else '' end as model,
    case h.unit when 'ms' then 1e-3 when 'us' then 1e-6 when 'ns' then 1e-9 else 1 end as factor
  from chosen h
  join canonical c on c.entity_id = h.entity
  join entity e on e.entity_id = c.canonical_id
  where e.kind in ('service', 'job')
),
sample as (
  select l.*, p.time_ns + src.clock_offset_ns as time_ns, case when part = 'time' then p.value end as total, case when part = 'count' then p.value end as count
  from labelled l join point p on p.series = l.series_id join source src using (source_id)
  where isfinite(p.value)
  union all
  select l.*, d.time_ns + src.clock_offset_ns, d.sum, d.count
  from labelled l join distribution d on d.series = l.series_id join source src using (source_id)
  where l.part is null and isfinite(d.sum) and isfinite(d.count)
),
stepped as (
  select *, time_ns - lag(time_ns) over own as step_ns,
    case when temporality = 1 then total else total - lag(total) over own end as took,
    case when temporality = 1 then count else count - lag(count) over own end as counted
  from sample
  window own as (partition by series_id order by time_ns)
),
paced as (
  select service, of, greatest(1000000000, median(step_ns))::bigint as width_ns
  from stepped
  where step_ns > 0
  group by service, of
)
select s.service, s.of, case when s.own = '' then s.model else s.own end as kind, s.attributes, p.width_ns,
  (s.time_ns // p.width_ns) * p.width_ns as time_ns, coalesce(sum(factor * took), 0)::double as seconds, coalesce(sum(counted), 0)::double as count
from stepped s
join paced p using (service, of)
where coalesce(took, 0) >= 0 and coalesce(counted, 0) >= 0 and (took is not null or counted is not null)
group by all
order by s.service, s.of, time_ns
