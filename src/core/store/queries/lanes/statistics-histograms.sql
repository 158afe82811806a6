-- Figures of quantiles per lane within a time. $1, $2: from, until; $3: list of {lane: n, series: id, place: 1, 2, 3 for p50, p95, p99}.
with wanted as (
  select unnest($3::struct(lane integer, series integer, place integer)[], recursive := true)
),
measured as (
  select w.lane, [h.p50, h.p95, h.p99][w.place] as value
  from (select * from histograms where list_contains(list_transform($3::struct(lane integer, series integer, place integer)[], lambda one: one.series), series_id)) h
  join wanted w on w.series = h.series_id
  where h.time_ns between $1 and $2
)
select lane, count(value)::double as count, min(value) as min, avg(value) as mean, quantile_cont(value, 0.95) as p95, max(value) as max
from measured
where value is not null
group by lane
