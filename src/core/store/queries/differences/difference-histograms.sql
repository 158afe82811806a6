-- Points of histograms and summaries in a region and in its baseline, of those that have enough on both sides, the most recorded
-- ones first. $1 to $6 as in difference-point-sample.sql. $7: points of a series and side, evenly chosen; $8: series at most.
with meant_entity as (select unnest(nullif($5, 'all')::integer[]) as id),
meant_series as (
  select series_id, $5 = 'all' or entity in (from meant_entity) as meant
  from series
  where entity is not null and kind in ('histogram', 'exponential_histogram', 'summary')
),
placed as (
  select d.rowid as place, d.series, d.time_ns + src.clock_offset_ns as at_ns,
    m.meant and d.time_ns + src.clock_offset_ns >= $1 and d.time_ns + src.clock_offset_ns < $2 as inside
  from distribution d
  join meant_series m on m.series_id = d.series
  join source src using (source_id)
  where d.count is not null and d.detail is not null
    and ((m.meant and d.time_ns + src.clock_offset_ns >= $1 and d.time_ns + src.clock_offset_ns < $2)
      or ((m.meant or $6) and d.time_ns + src.clock_offset_ns >= $3 and d.time_ns + src.clock_offset_ns < $4))
),
chosen as (
  select series, count(*) over () as series_count
  from placed
  group by series
  having count(*) filter (inside) >= 3 and count(*) filter (not inside) >= 8
  order by count(*) desc, series
  limit $8::bigint
),
thinned as (
  select p.*, c.series_count, row_number() over (partition by p.series, p.inside order by p.at_ns) as number,
    greatest(1, count(*) over (partition by p.series, p.inside) // $7::bigint) as step
  from placed p
  join chosen c using (series)
)
select t.series as series_id, s.metric, s.kind, coalesce(s.unit, '') as unit, s.temporality, e.kind || ':' || e.id as entity,
  coalesce(s.attributes, '') as attributes, t.inside, t.step = 1 as is_complete, d.start_ns, t.at_ns as time_ns, d.count, d.detail,
  t.series_count::double as series_count
from thinned t
join distribution d on d.rowid = t.place
join series s on s.series_id = t.series
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
where t.number % t.step = 0
order by t.series, t.at_ns
