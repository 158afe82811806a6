-- Min, max and last per bucket (M4's vertical extent: Jugel et al., VLDB 2014), so that one pixel hides no spike.
-- $1, $2: window; $3: entity kind; $4: entity id; $5: buckets; $6: metric.
select
  least(((p.time_ns + src.clock_offset_ns - $1) * $5::bigint) // greatest($2::bigint - $1::bigint, 1), $5::bigint - 1)::integer as bucket,
  min(p.value) as min, max(p.value) as max, arg_max(p.value, p.time_ns) as last
from point p
join series s on s.series_id = p.series
join source src on src.source_id = p.source_id
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
where e.kind = $3 and e.id = $4 and s.metric = $6 and p.value is not null
  and p.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
group by bucket
