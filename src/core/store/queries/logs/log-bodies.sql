-- Log lines of a baseline and a window, equal ones as one row: long numbers and identifiers are masked here already, so
-- that few texts leave the engine. `seconds` is in how many seconds the text was seen, and
-- the first and last time bound in how many a template can have been that several texts share. One stretch of rows at a time.
-- `called`: the service whose failed call a line of failure is about; `reason`: what it states as the reason (stated-reasons.ts).
-- A line without a severity is a failure when its beginning holds a level's name.
-- $1, $2: baseline, $3, $4: window, nanoseconds on the case's clock. $5, $6: rows from (inclusive) to (exclusive).
with line as (
  select coalesce(c.canonical_id, -1) as service, 
    l.severity >= 17 or l.severity = 0 and regexp_matches(left(l.body, 200), '\b(ERROR|FATAL|SEVERE|CRITICAL|PANIC)\b') as failure, l.source_id, l.rowid as row_number,
    regexp_replace(regexp_replace(left(l.body, 600),
      '\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b(0x)?[0-9a-fA-F]*[0-9][0-9a-fA-F]{7,}\b', '<*>', 'g'),
      '\d+\.\d+|\d{4,}', '<*>', 'g') as body,
    l.time_ns + src.clock_offset_ns as time_ns
  from log l
  join source src using (source_id)
  left join resource r on r.resource_id = l.resource
  left join canonical c on c.entity_id = r.entity
  where l.rowid >= $5::bigint and l.rowid < $6::bigint and l.body is not null
),
phased as (
  select *, time_ns >= $1 and time_ns < $2 as before, time_ns >= $3 and time_ns < $4 as inside
  from line
  where time_ns >= $1 and time_ns < $2 or time_ns >= $3 and time_ns < $4
)
select service, failure, body, case when failure then called_in(body) else '' end as called,
  case when failure then reason_in(body) else '' end as reason,
  count(*) filter (before)::double as before_lines, count(*) filter (inside)::double as window_lines,
  count(distinct time_ns // 1000000000) filter (before)::double as before_seconds,
  count(distinct time_ns // 1000000000) filter (inside)::double as window_seconds,
  min(time_ns) filter (before) as before_first_ns, max(time_ns) filter (before) as before_last_ns,
  min(time_ns) filter (inside) as window_first_ns, max(time_ns) filter (inside) as window_last_ns,
  'log:' || arg_min(source_id || '/' || row_number, time_ns) filter (inside) as ref
from phased
group by service, failure, body
-- The miner of templates takes texts as they come: in any order it would find other templates each time.
order by service, body, failure
