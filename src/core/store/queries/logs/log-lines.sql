-- Log records of some rows, for the mining of templates: bodies without ids and long numbers, so that few are different
-- (as in log-bodies.sql). Each different body is returned once, in its first row: `code` identifies it, because texts
-- are the main cost of a large result. $1, $2: rows from (inclusive) to (exclusive). $3: a power of two; of so many records
-- that are no errors one is read. $4: nanoseconds on the case's clock from which offset_s counts.
with line as materialized (
  select l.source_id, l.rowid::double as row_number, coalesce(l.resource, -1) as resource, l.severity,
    (l.time_ns + src.clock_offset_ns - $4::bigint) / 1e9 as offset_s,
    regexp_replace(regexp_replace(left(l.body, 600),
      '\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b(0x)?[0-9a-fA-F]*[0-9][0-9a-fA-F]{7,}\b', '<*>', 'g'),
      '\d+\.\d+|\d{4,}', '<*>', 'g') as body
  from log l
  join source src using (source_id)
  where l.rowid >= $1::bigint and l.rowid < $2::bigint and l.body is not null
    and (l.severity >= 17 or hash(l.rowid) & ($3 - 1)::ubigint = 0)
),
different as (select body, min(row_number) as first_row, row_number() over () as code from line group by body)
select l.source_id, l.row_number, l.resource, l.severity, l.offset_s, d.code::integer as code,
  case when l.row_number = d.first_row then l.body end as body
from line l
join different d using (body)
order by l.row_number
