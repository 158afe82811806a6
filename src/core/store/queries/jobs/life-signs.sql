-- First and last record of each rank and job, and of collective operations alone. $1: JSON list of further canonical entities, such as
-- services that train. Derived events are conclusions, no records.
with further as (select unnest(json_transform($1::varchar::json, '["INTEGER"]')) as entity),
member as (
  select c.entity_id, c.canonical_id as entity
  from canonical c
  join entity e on e.entity_id = c.canonical_id
  where e.kind in ('rank', 'job') or c.canonical_id in (select entity from further)
),
sign as (
  select m.entity, s.source_id, min(s.start_ns) as first_ns, max(s.end_ns) as last_ns, false as is_operation
  from span s join member m on m.entity_id = s.service group by all
  union all
  select m.entity, l.source_id, min(l.time_ns), max(l.time_ns), false
  from log l join resource r on r.resource_id = l.resource join member m on m.entity_id = r.entity where l.time_ns > 0 group by all
  union all
  select m.entity, p.source_id, min(p.time_ns), max(p.time_ns), false
  from point p join series s on s.series_id = p.series join member m on m.entity_id = s.entity group by all
  union all
  select m.entity, e.source_id, min(e.time_ns), max(e.time_ns), false
  from event e join member m on m.entity_id = e.entity left join name o on o.name_id = e.origin
  where coalesce(o.text, '') <> 'derived' group by all
  union all
  -- Until the year 2112: what a broken dump states beyond would exceed 64 bits.
  select m.entity, c.source_id, min(coalesce(nullif(c.created_ns, 0), nullif(c.started_ns, 0), nullif(c.completed_ns, 0))),
    max(greatest(c.created_ns, c.started_ns, c.completed_ns)), true
  from collective c join member m on m.entity_id = c.rank
  where greatest(c.created_ns, c.started_ns, c.completed_ns) between 1 and 4500000000000000000 group by all
)
select g.entity, min(g.first_ns + src.clock_offset_ns) as first_ns, max(g.last_ns + src.clock_offset_ns) as last_ns,
  max(g.last_ns + src.clock_offset_ns) filter (g.is_operation) as operation_ns
from sign g
join source src using (source_id)
group by g.entity
order by g.entity
