-- Events per entity within a time. $1, $2: from, until; $3: list of canonical entities.
select c.canonical_id as entity, count(*)::double as count
from event v
join source s using (source_id)
join canonical c on c.entity_id = v.entity
where c.canonical_id in (select unnest($3::integer[]))
  and v.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
group by c.canonical_id
