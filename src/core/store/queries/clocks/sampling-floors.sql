-- Sampling intervals of derived events: each happened up to one interval before its sample. $1, $2: as in events.sql.
select e.event_id, (e.attributes::json ->> '$.derived_from.sampling_floor_s')::double as floor_s
from event e
join source s using (source_id)
join name origin on origin.name_id = e.origin
where origin.text = 'derived'
  and e.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
  and (e.attributes::json ->> '$.derived_from.sampling_floor_s') is not null
order by e.event_id
