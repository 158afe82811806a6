-- The samples around events that state a reading: of the same metric and entity, those within some seconds, and the last one before and
-- the first one after. No row of an event without both.
-- $1: numbers of events, with commas. $2: seconds within which all samples count. $3: seconds within which there has to be one on each side.
with stated as (
  select e.event_id, e.details, own.canonical_id as entity, e.time_ns + src.clock_offset_ns as at_ns,
    src.clock_uncertainty_ns as doubt_ns, json_extract_string(e.details, '$.reading.metric') as metric
  from event e
  join source src using (source_id)
  join canonical own on own.entity_id = e.entity
  where e.event_id in (select unnest(string_split($1::varchar, ','))::integer) and contains(e.details, '"reading"')
), sample as (
  select st.event_id, st.details, st.at_ns, st.doubt_ns, s.series_id, p.value, p.time_ns + src.clock_offset_ns as time_ns
  from stated st
  join canonical own on own.canonical_id = st.entity
  -- A machine has many temperatures, of its parts and of the air: which one an event means is unknown.
  join entity e on e.entity_id = own.canonical_id and (e.kind = 'gpu' or st.metric <> 'hw.temperature')
  join series s on s.entity = own.entity_id and s.metric = st.metric
  join point p on p.series = s.series_id
  join source src on src.source_id = p.source_id
  where isfinite(p.value)
    and p.time_ns between st.at_ns - src.clock_offset_ns - st.doubt_ns - ($3::double * 1e9)::bigint
      and st.at_ns - src.clock_offset_ns + st.doubt_ns + ($3::double * 1e9)::bigint
), side as (
  select event_id, max(time_ns) filter (time_ns <= at_ns) as before_ns, min(time_ns) filter (time_ns >= at_ns) as after_ns
  from sample group by event_id
)
select event_id, any_value(details) as details, min(value) as least, max(value) as most, count(*)::integer as samples, min(time_ns) as from_ns, max(time_ns) as to_ns,
  arg_min(series_id, abs(time_ns - at_ns)) as series, arg_min(time_ns, abs(time_ns - at_ns)) as nearest_ns
from sample join side using (event_id)
where before_ns is not null and after_ns is not null
  and (abs(time_ns - at_ns) <= doubt_ns + ($2::double * 1e9)::bigint or time_ns in (before_ns, after_ns))
group by event_id
order by event_id
