-- As lane-metrics.sql, where a slice of the series (table point_range) is no wider than two buckets: read from the
-- slices, about an eighth of the points and in the order of series. A slice counts where its middle lies; doubles, for a
-- window from 1970 to 2262 and its slices overflow whole numbers. $1, $2: window; $3: buckets; $4: list of series ids;
-- $5: of the lane of each.
select
  (wanted.lane * $3 + least(floor((begin_ns::double - $1::double + half_ns) * ($3 / greatest($2::double - $1::double, 1))), $3 - 1))::integer as cell,
  min(low) as low, max(high) as high, arg_max(last, begin_ns) as last
from (
  select r.series, r.low, r.high, r.last,
    r.slice * (1::bigint << x.shift) + src.clock_offset_ns as begin_ns, pow(2, x.shift) / 2 as half_ns
  from point_range r
  join series_extent x on x.source_id = r.source_id and x.series = r.series
  join source src on src.source_id = r.source_id
)
join (
  select unnest($4::integer[]) as series, unnest($5::integer[]) as lane
) wanted using (series)
where begin_ns between $1 and $2
group by cell
