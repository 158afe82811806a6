-- Where readings leave the median of their earlier samples: the coolant flow of a cooling unit falls, the temperature that it supplies
-- rises, or work on a machine waits far more for processors, memory or storage (pressure stall information of Linux, a counter of
-- seconds: its growth per second is the share of time). The first sample beyond, the one before, and the first later one that is back
-- (null: none until the end). Two samples in a row, so that one bad reading is none. A unit that states limits is judged by these
-- (watched-levels.sql).
-- $1: fewer samples before are no baseline. $2: share of the flow. $3: kelvin. $4: share of the way back that ends it. $5: regular
-- expression of metrics of pressure. $6: least share of time. $7: times the usual share.
with watched as (
  select s.series_id, s.metric, own.canonical_id as entity, coalesce(s.attributes, '') as attributes, coalesce(s.unit, '') as unit,
    case when e.kind <> 'cooling' then 'pressure' when s.metric = 'hw.coolant.flow' then 'flow' else 'heat' end as sort
  from series s
  join canonical own on own.entity_id = s.entity
  join entity e on e.entity_id = own.canonical_id
  where s.temporality <> 1 and not regexp_matches(coalesce(s.attributes, ''), '"(lower|upper)_(warning|critical|fatal)"')
    and (e.kind = 'cooling' and s.metric = 'hw.coolant.flow'
      -- What comes back is warmer with more load.
      or e.kind = 'cooling' and s.metric = 'hw.temperature' and s.unit = 'Cel' and regexp_matches(lower(coalesce(s.attributes, '')), 'supply|cold')
      or e.kind in ('server', 'node', 'instance', 'device') and regexp_matches(s.metric, $5::varchar))
),
reading as (
  select p.series, w.sort, p.source_id, p.time_ns, p.time_ns + src.clock_offset_ns as clock_ns, p.value
  from point p
  join watched w on w.series_id = p.series
  join source src on src.source_id = p.source_id
  where isfinite(p.value)
),
grown as (
  select *, value - lag(value) over own as growth, (clock_ns - lag(clock_ns) over own) / 1e9 as seconds
  from reading
  where sort = 'pressure'
  window own as (partition by series order by clock_ns, source_id, value)
),
sample as (
  select series, sort, source_id, time_ns, clock_ns, value from reading where sort <> 'pressure'
  union all
  -- Machines are many: a median of what came before is for those that ever waited.
  select series, sort, source_id, time_ns, clock_ns, growth / seconds from grown
  where growth >= 0 and seconds > 0 and series in (select series from grown where growth / seconds > $6)
),
stepped as (
  select *, lag(value) over own as before_value, lag(time_ns) over own as before_ns, lead(value) over own as next_value,
    row_number() over own as place,
    quantile_disc(value, 0.5) over (
      partition by series order by clock_ns, source_id, value rows between unbounded preceding and 1 preceding) as usual
  from sample
  window own as (partition by series order by clock_ns, source_id, value)
),
limited as (
  select *, if(sort = 'flow', -1, 1) as way,
    case sort when 'flow' then $2 * usual when 'heat' then usual + $3 else greatest($6, $7 * usual) end as edge
  from stepped where place > $1 and (sort <> 'flow' or usual > 0)
),
shifted as (
  select *, usual + (1 - $4) * (edge - usual) as back from limited
  where way * value > way * edge and way * next_value > way * edge and way * before_value <= way * edge
),
-- Noise at the edge is one shift: the next one counts once the last is over.
begun as (
  select s.*, (
      select arg_min({'time_ns': n.time_ns, 'value': n.value, 'source_id': n.source_id}, n.place) from stepped n
      where n.series = s.series and n.place > s.place and s.way * n.value <= s.way * s.back and s.way * n.next_value <= s.way * s.back
    ) as ended
  from shifted s
)
select b.series as series_id, w.metric, w.entity, w.attributes, if(w.sort = 'pressure', '1', w.unit) as unit, b.source_id, b.time_ns, b.value, b.before_ns, b.before_value, b.usual,
  b.ended.time_ns as ended_ns, b.ended.value as ended_value, b.ended.source_id as ended_source
from begun b
join watched w on w.series_id = b.series
qualify lag(coalesce(b.ended.time_ns, 9223372036854775807)) over (partition by b.series order by b.place) is null
  or lag(coalesce(b.ended.time_ns, 9223372036854775807)) over (partition by b.series order by b.place) <= b.time_ns
order by b.series, b.place
