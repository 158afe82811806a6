-- $1, $2: window; $3: entity kind; $4: entity id; $5: buckets.
select least(((v.time_ns + s.clock_offset_ns - $1) * $5::bigint) // greatest($2::bigint - $1::bigint, 1), $5::bigint - 1)::integer as bucket, count(*) as count
from event v
join source s using (source_id)
join canonical c on c.entity_id = v.entity
join entity e on e.entity_id = c.canonical_id
where e.kind = $3 and e.id = $4 and v.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
group by bucket
