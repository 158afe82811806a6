-- Where series were heading: medians of twelve equal blocks of each stretch of time that ends at $2. A median of a block is
-- not moved by a spike, and twelve of them hold a trend whatever the sampling. $1: metric names, comma separated;
-- $2: the end, nanoseconds on the case's clock; $3: lengths of the stretches in seconds, comma separated.
with stretch as (
  select unnest(string_split($3::varchar, ','))::bigint as seconds
),
sample as (
  select p.series, p.time_ns + src.clock_offset_ns as time_ns, p.value
  from point p
  join source src on src.source_id = p.source_id
  join series s on s.series_id = p.series
  where s.metric in (select unnest(string_split($1::varchar, ','))) and s.entity is not null and isfinite(p.value)
    and p.time_ns > $2 - src.clock_offset_ns - (select max(seconds) from stretch) * 1000000000 and p.time_ns <= $2 - src.clock_offset_ns
)
select s.series_id, s.metric, coalesce(s.unit, '') as unit, coalesce(s.attributes, '') as attributes,
  e.kind as entity_kind, e.id as entity_id, e.entity_id as entity, block.seconds, block.at_s, block.value
from (
  select series, seconds::integer as seconds, (($2 - time_ns) * 12) // (seconds * 1000000000) as place,
    median((time_ns - $2) / 1e9) as at_s, median(value) as value
  from sample
  join stretch on time_ns > $2 - seconds * 1000000000
  group by all
) as block
join series s on s.series_id = block.series
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
order by s.series_id, block.seconds, block.at_s
