-- As lane-metrics.sql, of quantiles of histograms. $1, $2: window; $3: buckets; $4: list of series ids; $5: of the lane of each;
-- $6: of its quantile: 1, 2, 3 for p50, p95, p99. A list of series, which the engine hands down to the scan, not a join: of
-- 60 series one takes a tenth of the time.
with wanted as (
  select unnest($4::integer[]) as series_id, unnest($5::integer[]) as lane, unnest($6::integer[]) as place
),
measured as (
  select wanted.lane, h.time_ns, [h.p50, h.p95, h.p99][wanted.place] as value
  from (select * from histograms where list_contains($4::integer[], series_id)) h
  join wanted using (series_id)
)
select
  (lane * $3 + least(floor((time_ns - $1)::double * ($3 / greatest($2 - $1, 1))), $3 - 1))::integer as cell,
  min(value) as low, max(value) as high, arg_max(value, time_ns) as last
from measured
where value is not null and time_ns between $1 and $2
group by cell
