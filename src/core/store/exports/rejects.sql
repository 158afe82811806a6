-- Rows that could not be read.
select src.name as source, r.file, r."at", r.reason, r.excerpt
from reject r
join source src using (source_id)
order by r.source_id, r.file, r."at", r.reason
