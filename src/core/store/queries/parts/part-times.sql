-- When each piece of hardware was recorded, by its series with the most samples: the first and the last sample on the case's
-- clock, and for how long there were any: the hours of the clock that hold one, but no more than from the first to the last
-- and one usual distance (a recording of 20 minutes is no hour). $1: kinds.
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
  least(
    count(distinct (p.time_ns + src.clock_offset_ns) // 3600000000000),
    round((max(p.time_ns + src.clock_offset_ns) - min(p.time_ns + src.clock_offset_ns)) / 3600000000000
      * count(distinct p.time_ns) / greatest(count(distinct p.time_ns) - 1, 1), 3)
  )::double as hours
from fullest f
join point p on p.series = f.series
join source src on src.source_id = p.source_id
group by all
order by f.entity
