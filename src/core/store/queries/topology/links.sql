-- The links of canonical entities, each as one data source states it.
with link as (
  select
    f.canonical_id as from_id, k.text as kind, t.canonical_id as to_id, e.valid_from_ns, e.valid_to_ns,
    coalesce(p.text, src.name, 'unknown') as provenance, coalesce(src.name, 'unknown') as source,
    coalesce(src.imported_at_ns, 0) as reported_ns,
    coalesce(starts_with(src.digest, 'capture:') and src.format <> 'otlp-live', false) as is_found
  from edge e
  join canonical f on f.entity_id = e.from_entity
  join canonical t on t.entity_id = e.to_entity
  join name k on k.name_id = e.kind
  left join name p on p.name_id = e.provenance
  left join source src on src.source_id = e.source_id
  where f.canonical_id <> t.canonical_id
)
