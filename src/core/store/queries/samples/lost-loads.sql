-- Supplies of a machine, outlets and phases of a PDU whose power or current falls to nothing while another one of the same whole has load:
-- the first sample without load, the one before, and the next one with load (null: none until the end). Two samples in a row, so that one bad reading is
-- none; and not where no load is usual, as of a supply in cold redundancy: $3 is the share of earlier samples without any.
-- The other one has load in its first sample that is not earlier, and not later than two samples of the series itself.
-- $1: watts below which there is no load; $4: amperes. $2: fewer samples before are no baseline.
with part as (
  select distinct s.series_id, s.metric, own.canonical_id as entity, e.kind as entity_kind, whole.canonical_id as whole,
    own.canonical_id::varchar as part, coalesce(s.attributes, '') as attributes, s.unit, $1 as least
  from series s
  join canonical own on own.entity_id = s.entity
  join entity e on e.entity_id = own.canonical_id and e.kind in ('psu', 'outlet')
  join canonical any_part on any_part.canonical_id = own.canonical_id
  join edge on edge.to_entity = any_part.entity_id
  join name kind on kind.name_id = edge.kind and kind.text = 'contains'
  join canonical whole on whole.entity_id = edge.from_entity
  join entity w on w.entity_id = whole.canonical_id and w.kind <> 'rack'
  where s.metric in ('hw.power', 'hw.power.input', 'hw.power.output') and s.unit = 'W' and s.temporality <> 1
  union all
  select s.series_id, s.metric, own.canonical_id, e.kind, own.canonical_id, s.attributes->>'phase', s.attributes, s.unit,
    case s.unit when 'A' then $4 else $1 end
  from series s
  join canonical own on own.entity_id = s.entity
  join entity e on e.entity_id = own.canonical_id and e.kind = 'pdu'
  where s.metric in ('hw.current', 'hw.power') and s.unit in ('A', 'W') and s.temporality <> 1 and (s.attributes->>'phase') is not null
),
-- Few series are ever without load: only theirs are read in order.
idle as (
  select p.series from point p
  join (select series_id, any_value(least) as least from part group by series_id) known on known.series_id = p.series
  group by p.series having min(p.value) < any_value(least) and max(p.value) >= any_value(least)
),
sample as (
  select p.series, p.source_id, p.time_ns, p.time_ns + src.clock_offset_ns as clock_ns, p.value, known.least
  from point p
  join source src on src.source_id = p.source_id
  join (select series_id, any_value(least) as least from part group by series_id) known on known.series_id = p.series
  where p.series in (select o.series_id from part o join part i using (whole, metric) join idle on idle.series = i.series_id) and p.value is not null
),
stepped as (
  select *, lag(value) over own as before_value, lag(time_ns) over own as before_ns, lead(value) over own as next_value,
    lag(clock_ns) over own as before_clock_ns, lead(clock_ns) over own as next_clock_ns,
    row_number() over own - 1 as earlier,
    count(*) filter (value < least) over (partition by series order by clock_ns, source_id, value rows between unbounded preceding and 1 preceding) as earlier_idle,
    arg_min({'time_ns': time_ns, 'value': value, 'source_id': source_id}, clock_ns) filter (value >= least) over (
      partition by series order by clock_ns, source_id, value rows between 1 following and unbounded following) as regained
  from sample where series in (from idle)
  window own as (partition by series order by clock_ns, source_id, value)
),
lost as (
  select *, try(2 * (next_clock_ns - before_clock_ns)) as patience_ns from stepped
  where value < least and before_value >= least and next_value < least and earlier >= $2 and earlier_idle <= $3 * earlier
),
other as (
  select l.series, l.clock_ns, o.series_id as other
  from lost l
  join part p on p.series_id = l.series
  join part o on o.whole = p.whole and o.metric = p.metric and o.part <> p.part
),
loaded as (
  select distinct o.series, o.clock_ns
  from other o
  asof join sample q on q.series = o.other and q.clock_ns >= o.clock_ns
  join lost l on l.series = o.series and l.clock_ns = o.clock_ns
  where q.value >= q.least and q.clock_ns <= o.clock_ns + l.patience_ns
)
select l.series as series_id, p.metric, p.entity, p.entity_kind, p.attributes, p.unit, l.source_id, l.time_ns, l.value, l.before_ns, l.before_value,
  l.regained.time_ns as regained_ns, l.regained.value as regained_value, l.regained.source_id as regained_source
from lost l
join loaded using (series, clock_ns)
join (select series_id, any_value(metric) as metric, any_value(entity) as entity, any_value(entity_kind) as entity_kind, any_value(attributes) as attributes,
  any_value(unit) as unit from part group by series_id) p on p.series_id = l.series
order by l.clock_ns, series_id
