-- What happened to things at an instant. `evidence` is what reports cite; the origin `derived` is what samples showed and nobody
-- recorded, which an import of these tables makes anew of the samples.
select
  e.original_id as id,
  e.time_ns + src.clock_offset_ns as time_unix_nano,
  entity.kind as entity_kind, entity.id as entity,
  type.text as type, ['critical', 'high', 'medium', 'low'][e.severity + 1] as severity,
  e.message, origin.text as origin, nullif(e.attributes, '{}') as attributes, e.raw,
  'event:' || e.event_id as evidence,
  src.name as source
from event e
join source src using (source_id)
left join entity on entity.entity_id = e.entity
left join name type on type.name_id = e.type
left join name origin on origin.name_id = e.origin
order by time_unix_nano, e.event_id
