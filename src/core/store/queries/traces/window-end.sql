-- Until when a window lasts that reaches the last record of the case: until the spans that began in it ended, within a day, as records stand by
-- their beginning. Another window ends as asked. $1: its end, ns.
with latest as (
  select max(last_ns + clock_offset_ns) as begun_ns from source
),
ended as (
  select max(s.end_ns + src.clock_offset_ns) as done_ns
  from span s
  join source src using (source_id)
  where s.end_ns + src.clock_offset_ns <= $1::hugeint + 86400000000000
)
select case when $1::bigint >= begun_ns then greatest($1::bigint, done_ns) else $1::bigint end as end_ns
from latest, ended
