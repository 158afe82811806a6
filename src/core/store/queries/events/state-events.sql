-- Events that begin or end a state, each with the last time of its data source: until then its silence
-- means that the state lasts. The whole case, because the state at a window's start depends on earlier events.
-- $1: types, comma separated; $2: list of canonical entities.
select c.canonical_id as entity, type.text as type, v.event_id, v.severity, v.time_ns + s.clock_offset_ns as time_ns,
  coalesce(s.last_ns, v.time_ns) + s.clock_offset_ns as known_until_ns
from event v
join source s using (source_id)
join canonical c on c.entity_id = v.entity
join name type on type.name_id = v.type
where c.canonical_id in (select unnest($2::integer[]))
  and type.text in (select unnest(string_split($1::varchar, ',')))
order by entity, v.time_ns + s.clock_offset_ns, v.event_id
