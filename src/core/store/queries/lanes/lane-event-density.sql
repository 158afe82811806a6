-- Events per entity and bucket, and how many of them are critical and high. $1, $2: window; $3: list of canonical entities;
-- $4: buckets; $5: as $6 of lane-events.sql.
with shift as (
  select unnest($5::struct(source_id integer, shift_ns bigint)[], recursive := true)
),
clock as (
  select source_id, clock_offset_ns + coalesce(shift_ns, 0) as clock_offset_ns from source left join shift using (source_id)
)
select c.canonical_id as entity,
  least(floor((v.time_ns + s.clock_offset_ns - $1)::double * $4 / greatest($2 - $1, 1)), $4 - 1)::integer as bucket,
  count(*)::integer as count, count(*) filter (v.severity = 0)::integer as critical,
  count(*) filter (v.severity = 1)::integer as high
from event v
join clock s using (source_id)
join canonical c on c.entity_id = v.entity
where c.canonical_id in (select unnest($3::integer[]))
  and v.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
group by c.canonical_id, bucket
