-- What shows that a training job stopped in a collective operation: ranks that the others wait for, and watchdogs that ended one. A
-- watchdog writes when its timeout is over: the operation began `waited_s` before, where it states that. No timeout is longer than a
-- day: such a figure is none.
select coalesce(c.canonical_id, -1) as entity, n.text as type, e.event_id, e.time_ns + src.clock_offset_ns as time_ns,
  case when stated.waited_s between 0 and 86400 then stated.waited_s else 0 end as waited_s
from event e
join name n on n.name_id = e.type
join source src on src.source_id = e.source_id
cross join lateral (select case when json_valid(e.details) then try_cast(e.details->>'$.waited_s' as double) end as waited_s) stated
left join canonical c on c.entity_id = e.entity
where n.text in ('collective_stalled', 'collective_mismatch', 'collective_timeout')
order by time_ns, e.event_id
