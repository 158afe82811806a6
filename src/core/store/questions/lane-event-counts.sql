-- Events per canonical entity. $1, $2: window; $3: list of canonical entities; $4, $5: the window on the clocks that
-- are furthest ahead and behind, by which row groups are left out; $6: as in lane-events.sql.
with shift as (
  select unnest($6::struct(source_id integer, shift_ns bigint)[], recursive := true)
),
clock as (
  select source_id, clock_offset_ns + coalesce(shift_ns, 0) as clock_offset_ns from source left join shift using (source_id)
)
select c.canonical_id as entity, count(*)::integer as count
from event v
join clock s using (source_id)
join canonical c on c.entity_id = v.entity
where v.time_ns between $4 and $5
  and c.canonical_id in (select unnest($3::integer[]))
  and v.time_ns + s.clock_offset_ns between $1 and $2
group by c.canonical_id
