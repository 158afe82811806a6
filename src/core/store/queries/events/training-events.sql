-- What the log of a training job shows of it: that it was started again, or that its loss is not finite any more.
select coalesce(c.canonical_id, -1) as job, n.text as type, e.time_ns + src.clock_offset_ns as time_ns, coalesce(d.stated.gap_s, 0) as gap_s,
  coalesce(d.stated.repeated_s, d.stated.lasted_s, 0) as lasted_s, d.stated.repeated_s / nullif(d.stated.lost_steps, 0) as step_s
from event e
join name n on n.name_id = e.type
join source src on src.source_id = e.source_id
cross join lateral (
  select case when json_valid(e.details) then json_transform(e.details, '{"gap_s": "DOUBLE", "repeated_s": "DOUBLE", "lasted_s": "DOUBLE", "lost_steps": "DOUBLE"}') end as stated
) d
left join canonical c on c.entity_id = e.entity
where n.text in ('training_resumed', 'training_diverged')
order by time_ns, e.event_id
