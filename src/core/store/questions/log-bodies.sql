-- Log lines of a baseline and a window, equal ones as one row: long numbers and identifiers are masked here already, so
-- that few texts leave the engine. `seconds` is in how many seconds the text was seen. One stretch of rows at a time.
-- $1, $2: baseline, $3, $4: window, nanoseconds on the case's clock. $5, $6: rows from (inclusive) to (exclusive).
select coalesce(c.canonical_id, -1) as service, l.severity >= 17 as failure,
  regexp_replace(regexp_replace(left(l.body, 600),
    '\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b(0x)?[0-9a-fA-F]*[0-9][0-9a-fA-F]{7,}\b', '<*>', 'g'),
    '\d+\.\d+|\d{4,}', '<*>', 'g') as body,
  sum((l.time_ns + src.clock_offset_ns between $1 and $2 - 1)::integer)::double as before_lines,
  sum((l.time_ns + src.clock_offset_ns between $3 and $4 - 1)::integer)::double as window_lines,
  count(distinct case when l.time_ns + src.clock_offset_ns between $1 and $2 - 1 then l.time_ns // 1000000000 end)::double as before_seconds,
  count(distinct case when l.time_ns + src.clock_offset_ns between $3 and $4 - 1 then l.time_ns // 1000000000 end)::double as window_seconds,
  min(l.time_ns + src.clock_offset_ns) filter (l.time_ns + src.clock_offset_ns between $3 and $4 - 1) as first_ns,
  'log:' || arg_min(l.source_id || '/' || l.rowid, l.time_ns + src.clock_offset_ns)
    filter (l.time_ns + src.clock_offset_ns between $3 and $4 - 1) as ref
from log l
join source src using (source_id)
left join resource r on r.resource_id = l.resource
left join canonical c on c.entity_id = r.entity
where l.rowid >= $5::bigint and l.rowid < $6::bigint and l.body is not null
  and (l.time_ns + src.clock_offset_ns between $1 and $2 - 1 or l.time_ns + src.clock_offset_ns between $3 and $4 - 1)
group by 1, 2, 3
