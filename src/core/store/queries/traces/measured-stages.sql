-- How long requests of services spent in stages, as metrics of inference servers measure it: per service, model and part, the requests that
-- were collected in a time and their seconds together. $1, $2: the time; $3: list of canonical services; $4: JSON list of {part, metric}:
-- histograms and summaries; $5: the same of counters, where part `requests` counts the requests; $6: whether collections that only touch the
-- time count, too. A count that fell was reset, and the first one counts from an unknown past: neither is used. A part has histograms, or else
-- counters.
with wanted as (
  select unnest(json_transform($4::varchar::json, '[{"part": "VARCHAR", "metric": "VARCHAR"}]'), recursive := true), 0 as is_counter
  union all
  select unnest(json_transform($5::varchar::json, '[{"part": "VARCHAR", "metric": "VARCHAR"}]'), recursive := true), 1
),
chosen as (
  select s.series_id, c.canonical_id as service, w.part, w.is_counter,
    left(coalesce(case when json_valid(s.attributes) then s.attributes ->> '$."gen_ai.request.model"' end, ''), 200) as model,
    s.temporality = 2 or s.kind = 'summary' or (w.is_counter = 1 and s.temporality is distinct from 1) as is_cumulative,
    case s.unit when 'ms' then 1e-3 when 'us' then 1e-6 when 'ns' then 1e-9 else 1 end as factor
  from series s
  join wanted w using (metric)
  join canonical c on c.entity_id = s.entity
  where c.canonical_id in (select unnest($3::integer[]))
    and case when w.is_counter = 1 then s.kind = 'sum' and s.monotonic = 1 else s.kind in ('histogram', 'exponential_histogram', 'summary') end
),
stated as (
  select c.*, d.source_id, d.time_ns + src.clock_offset_ns as time_ns, d.count, factor * d.sum as seconds
  from chosen c
  join distribution d on d.series = c.series_id
  join source src using (source_id)
  -- The collection before the time is at most an hour older.
  where is_counter = 0 and isfinite(d.count) and isfinite(d.sum)
    and d.time_ns between $1::bigint - src.clock_offset_ns - 3600000000000 and $2::bigint - src.clock_offset_ns + 3600000000000
  union all
  select c.*, p.source_id, p.time_ns + src.clock_offset_ns, p.value, factor * p.value
  from chosen c
  join point p on p.series = c.series_id
  join source src using (source_id)
  where is_counter = 1 and isfinite(p.value)
    and p.time_ns between $1::bigint - src.clock_offset_ns - 3600000000000 and $2::bigint - src.clock_offset_ns + 3600000000000
),
stepped as (
  select *, lag(time_ns) over w as last_ns, count - case when is_cumulative then lag(count) over w else 0 end as more,
    seconds - case when is_cumulative then lag(seconds) over w else 0 end as more_seconds
  from stated
  window w as (partition by series_id, source_id order by time_ns)
),
collected as (
  select service, model, part, is_counter, sum(more) as requests, sum(more_seconds) as seconds, arg_max(series_id, time_ns) as series_id,
    max(time_ns) as time_ns
  from stepped
  where more >= 0 and more_seconds >= 0 and last_ns is not null
    and case when $6::boolean then time_ns > $1::bigint and last_ns < $2::bigint else last_ns >= $1::bigint and time_ns <= $2::bigint end
  group by service, model, part, is_counter
),
-- Counters of seconds are over the requests of their service and model.
part as (
  select * from collected where is_counter = 0
  union all
  select t.service, t.model, t.part, t.is_counter, r.requests, t.seconds, t.series_id, t.time_ns
  from collected t
  join collected r on r.service = t.service and r.model = t.model and r.is_counter = 1 and r.part = 'requests'
  where t.is_counter = 1 and t.part <> 'requests'
)
select p.service, e.id as name, p.model, p.part, p.requests::double as requests, p.seconds / p.requests as mean_s,
  'metric:' || p.series_id || '@' || p.time_ns as ref
from (from part where requests > 0 qualify is_counter = min(is_counter) over (partition by service, model, part)) p
join entity e on e.entity_id = p.service
order by p.service, p.model, p.part
