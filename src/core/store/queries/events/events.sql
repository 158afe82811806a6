-- Events of a window on the case's clock. $1, $2: nanoseconds, both inclusive.
-- What a kernel or an SNMP agent states of a machine means more of a switch: the importer does not know that it is one.
-- The window is compared before the offset is added, per source, so that zone maps on time_ns still prune.
select
  e.event_id, coalesce(e.original_id, 'event-' || e.event_id) as original_id,
  e.time_ns + s.clock_offset_ns as time_ns, s.clock_uncertainty_ns, e.source_id,
  coalesce(c.canonical_id, -1) as entity, coalesce(n.id, '') as device_id,
  case
    when whole.kind is distinct from 'switch' then coalesce(type.text, '')
    when type.text = 'host_rebooted' or is_restart then 'switch_reboot'
    when type.text = 'host_degradation' then 'switch_failed'
    else coalesce(type.text, '')
  end as type,
  coalesce(origin.text, '') as origin,
  case when whole.kind = 'switch' and (type.text = 'host_rebooted' or is_restart) then least(e.severity, 1) else e.severity end::utinyint as severity,
  coalesce(e.message, '') as message,
  coalesce(e.details, '') as details
from event e
join source s using (source_id)
left join canonical c on c.entity_id = e.entity
left join entity n on n.entity_id = e.entity
left join entity whole on whole.entity_id = c.canonical_id
left join name type on type.name_id = e.type
cross join lateral (select type.text = 'snmp_trap' and contains(coalesce(e.details, ''), '"agent_restarted"') as is_restart) stated
left join name origin on origin.name_id = e.origin
where e.time_ns between $1 - s.clock_offset_ns and $2 - s.clock_offset_ns
order by time_ns, e.event_id
