-- What spans of services state of the serving of models around a time. $1, $2: the time; $3: list of canonical services; $4: JSON list of
-- {name, quantity, factor}, of attributes with a number; $5: rows at most; $6: list of resources; empty: all of the services.
with known as (
  select unnest(json_transform($4::varchar::json, '[{"name": "VARCHAR", "quantity": "VARCHAR", "factor": "DOUBLE"}]'), recursive := true)
),
around as (
  select c.canonical_id as entity, s.start_ns + src.clock_offset_ns as time_ns, s.attributes
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where c.canonical_id in (select unnest($3::integer[])) and s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
    and (len($6::integer[]) = 0 or s.resource in (select unnest($6::integer[])))
    and json_valid(s.attributes)
)
select a.entity, k.quantity, a.time_ns, try_cast(json_extract_string(a.attributes, '$."' || k.name || '"') as double) * k.factor as value
from around a
join known k on contains(a.attributes, '"' || k.name || '"')
where value between 0 and 1e12
order by a.entity, k.quantity, a.time_ns
limit $5::bigint
