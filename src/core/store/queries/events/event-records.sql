-- $1: numbers of events, with commas.
select e.*, s.name as source_name, s.clock_offset_ns,
  -- Only these can be contradicted: see stated-readings.sql.
  coalesce(contains(v.details, '"reading"'), false) as states_reading
from events e
join event v using (event_id)
join source s using (source_id)
where e.event_id in (select unnest(string_split($1::varchar, ','))::integer)
