select source_id, name, format, digest, bytes, imported_at_ns, first_ns, last_ns, clock_offset_ns, clock_uncertainty_ns, rows, rejects, remarks
from source
order by source_id
