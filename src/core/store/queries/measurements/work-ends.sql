-- When the last span of services and jobs ended, those of their members among them, and the time from one end to the next before that:
-- the median, and the one in which half of the time lies, so that spans of ranks that end together count as one.
-- $1: services, comma separated. $2: nanoseconds before the last end from which spans count.
with wanted as (select unnest(string_split(nullif($1::varchar, ''), ','))::integer as service),
part as (
  select c.entity_id as entity, w.service
  from wanted w
  join canonical c on c.canonical_id = w.service
  union
  select c.entity_id, w.service
  from wanted w
  join canonical j on j.canonical_id = w.service
  join edge g on g.to_entity = j.entity_id
  join name k on k.name_id = g.kind and k.text = 'member_of'
  join canonical f on f.entity_id = g.from_entity
  join canonical c on c.canonical_id = f.canonical_id
),
ended as (
  select p.service, s.end_ns + src.clock_offset_ns as end_ns
  from span s
  join part p on p.entity = s.service
  join source src using (source_id)
),
last_end as (select service, max(end_ns) as last_ns from ended group by service),
pause as (
  select service, end_ns - lag(end_ns) over (partition by service order by end_ns) as pause_ns
  from (select distinct service, end_ns, last_ns from ended join last_end using (service) where end_ns >= last_ns - $2::bigint)
),
summed as (
  select service, pause_ns, sum(pause_ns) over (partition by service order by pause_ns rows unbounded preceding) as shorter_ns,
    sum(pause_ns) over (partition by service) as all_ns
  from pause
  where pause_ns is not null
)
select service, last_ns, median(pause_ns)::bigint as median_ns, min(pause_ns) filter (2 * shorter_ns >= all_ns) as usual_ns
from last_end
join summed using (service)
group by service, last_ns
order by service
