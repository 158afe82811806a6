-- Known clock of each data source. A non-zero offset was set by the investigator, and so was one that was
-- set to zero by hand.
select source_id, name, clock_offset_ns, clock_uncertainty_ns,
  clock_offset_ns <> 0 or exists (select 1 from meta where key = 'clock_before:' || source_id) as fixed, first_ns, last_ns
from source
order by source_id
