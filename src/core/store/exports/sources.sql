-- Files and feeds. Times of the other tables are on the case's clock: less clock_offset_ns they are as they were recorded.
select
  name as source, format, digest, bytes, imported_at_ns as imported_at_unix_nano,
  first_ns + clock_offset_ns as first_unix_nano, last_ns + clock_offset_ns as last_unix_nano,
  clock_offset_ns, clock_uncertainty_ns, rows, rejects, remarks
from source
order by source_id
