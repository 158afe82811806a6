-- Rows of log records, in order of time. $1, $2: time, end exclusive; $3: 'all', or list of resources that count; $4, $8: least
-- severity, and the first beyond; $5: text in the body, '' for any; $6: trace id as hex, '' for any; $7: most; $9 and $10, $11 and
-- $12, $13 and $14: JSON pointer of an attribute and its value, '' for none.
with meant_resource as (select unnest(nullif($3, 'all')::integer[]) as id)
select l.rowid::double as row_number
from log l
join source src using (source_id)
where l.time_ns >= $1 - src.clock_offset_ns and l.time_ns < $2 - src.clock_offset_ns
  and ($3 = 'all' or l.resource in (from meant_resource))
  and l.severity >= $4 and l.severity < $8 and ($5 = '' or contains(lower(l.body), lower($5)))
  and ($6 = '' or l.trace_hi = trace_hi_of($6) and l.trace_lo = trace_lo_of($6))
  and ($9 = '' or json_extract_string(l.attributes, $9) = $10) and ($11 = '' or json_extract_string(l.attributes, $11) = $12)
  and ($13 = '' or json_extract_string(l.attributes, $13) = $14)
order by l.time_ns + src.clock_offset_ns, l.rowid
limit $7::bigint
