-- What is known of each source's clock. An offset that is not zero was given by the investigator.
select source_id, name, clock_offset_ns, clock_uncertainty_ns, clock_offset_ns <> 0 as fixed, first_ns, last_ns
from source
order by source_id
