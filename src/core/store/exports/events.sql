-- Events. `evidence` is the id that reports cite; events of origin `derived` come from samples, and an import of these tables
-- derives them again.
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
