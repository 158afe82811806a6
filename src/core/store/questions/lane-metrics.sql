-- Min, max and last per series and bucket (M4's vertical extent: Jugel et al., VLDB 2014), so that one pixel hides
-- no spike. All lanes on screen in one scan. $1, $2: window; $3: buckets; $4: JSON list of series ids.
select
  p.series,
  least(floor((p.time_ns + src.clock_offset_ns - $1)::double * $3 / greatest($2 - $1, 1)), $3 - 1)::integer as bucket,
  min(p.value) as min, max(p.value) as max, arg_max(p.value, p.time_ns) as last, max(p.time_ns) as last_ns
from point p
join source src on src.source_id = p.source_id
where p.series in (select unnest(json_transform($4::json, '["INTEGER"]')))
  and p.value is not null
  and p.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by p.series, bucket
