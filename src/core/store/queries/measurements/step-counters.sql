-- The steps that counters and gauges of training jobs count, after step-series.sql and before step-figures.sql, which needs `spaced` and `until`. All ranks do the
-- same steps: of each job the series with the most samples counts. Samples without a new step show that none was done: steps took the time
-- since the last sample that had some, or since the counter began anew. Of a gauge that is no count (a rate, a time), most samples are no whole
-- numbers, or fall. $2: services that are left out, comma separated.
, placed as (select series_id, temporality, work as service from step_series where is_count and kind in ('gauge', 'sum')),
sample as (
  select w.service, w.series_id, p.time_ns + src.clock_offset_ns as time_ns, p.value,
    case when w.temporality = 1 then p.value else p.value - lag(p.value) over own end as steps
  from point p
  join placed w on w.series_id = p.series
  join source src on src.source_id = p.source_id
  where p.value is not null and isfinite(p.value) and w.service is not null
    and w.service not in (select unnest(string_split(nullif($2::varchar, ''), ','))::integer)
  window own as (partition by w.series_id order by p.time_ns)
),
chosen as (
  select service, series_id, min(time_ns) as first_ns, max(time_ns) as last_ns
  from sample
  group by service, series_id
  having count(*) filter (steps > 0) >= 3 and avg((value = floor(value) and coalesce(steps, 0) >= 0)::integer) >= 0.9
  qualify row_number() over (partition by service order by count(*) desc, series_id) = 1
),
advanced as (
  select s.service, s.time_ns, c.first_ns, s.steps, (s.time_ns - lag(s.time_ns) over (partition by s.series_id order by s.time_ns)) / 1e6 as since_ms
  from sample s
  join chosen c using (service, series_id)
  where s.steps is null or s.steps <> 0
),
spaced as (select service, '' as name, time_ns, first_ns, since_ms / steps as took_ms, steps from advanced where steps > 0 and since_ms > 0),
until as (select service, last_ns from chosen)
