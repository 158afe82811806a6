-- Outages of live feeds, by their own report; NULL: until the end of the capture.
select
  src.name as source, o.from_ns + src.clock_offset_ns as from_unix_nano, o.until_ns + src.clock_offset_ns as until_unix_nano, o.reason
from outage o
join source src using (source_id)
order by from_unix_nano, source
