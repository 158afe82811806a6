-- Events of the lanes on screen; types by their number, for text takes longer than all the rest. $1, $2: window; $3: list
-- of {"entity": canonical entity, "mildest": severity}, no event of which is to be milder; $4, $5: the window on the clocks
-- that are furthest ahead and behind; $6: list of {"source_id": n, "shift_ns": n}, by how much the clocks of sources are drawn
-- later than the case has them. A severity beyond low, which only a foreign bundle can hold, is as mild as low.
with shift as (
  select unnest($6::struct(source_id integer, shift_ns bigint)[], recursive := true)
),
clock as (
  select source_id, clock_offset_ns + coalesce(shift_ns, 0) as clock_offset_ns from source left join shift using (source_id)
)
select c.canonical_id as entity, v.event_id, (v.time_ns + s.clock_offset_ns - $1) / 1e9 as offset_s, v.severity, coalesce(v.type, 0) as type
from event v
join clock s using (source_id)
join canonical c on c.entity_id = v.entity
join (
  select unnest($3::struct(entity integer, mildest utinyint)[], recursive := true)
) wanted on wanted.entity = c.canonical_id and least(v.severity, 3) <= wanted.mildest
where v.time_ns between $4 and $5
  and v.time_ns + s.clock_offset_ns between $1 and $2
order by c.canonical_id, offset_s, v.event_id
