-- When each piece of hardware was recorded, by its series with the most samples: the first and the last sample on the case's
-- clock, and in how many hours of the clock there was any. $1: kinds.
with fullest as (
  select c.canonical_id as entity, arg_max(s.series_id, n.points) as series
  from series s
  join (select series, sum(points) as points from series_extent group by all) n on n.series = s.series_id
  join canonical c on c.entity_id = s.entity
  join entity x on x.entity_id = c.canonical_id
  where x.kind in (select unnest($1::varchar[]))
  group by all
)
select f.entity, min(p.time_ns + src.clock_offset_ns) as first_ns, max(p.time_ns + src.clock_offset_ns) as last_ns,
  count(distinct (p.time_ns + src.clock_offset_ns) // 3600000000000)::integer as hours
from fullest f
join point p on p.series = f.series
join source src on src.source_id = p.source_id
group by all
order by f.entity
