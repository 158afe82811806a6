-- Rows of the log records of the same sender and source right before and after one, in order of time; the record itself is among
-- them. $1: source, $2: its row; $3, $4: rows before and after.
with here as materialized (select source_id, rowid as id, time_ns, resource from log where source_id = $1 and rowid = $2::bigint),
same as (
  select l.rowid as id, l.time_ns, (l.time_ns, l.rowid) < (h.time_ns, h.id) as is_before
  from log l
  join here h on l.source_id = h.source_id and l.resource is not distinct from h.resource
)
select id::double as row_number
from (
  (select * from same where is_before order by time_ns desc, id desc limit $3::bigint)
  union all
  (select * from same where not is_before order by time_ns, id limit $4::bigint + 1)
)
order by time_ns, id
