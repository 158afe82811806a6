-- Who sent telemetry: the entity (as recorded) that a resource was taken for, and its attributes as JSON.
select resource_id, coalesce(entity, -1) as entity, coalesce(attributes, '{}') as attributes from resource
