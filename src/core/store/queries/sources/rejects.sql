-- $1: source_id or NULL for all; $2: limit; $3: offset.
select r.source_id, s.name as source, coalesce(r.file, '') as file, r."at", coalesce(r.reason, '') as reason, coalesce(r.excerpt, '') as excerpt
from reject r
join source s using (source_id)
where $1::integer is null or r.source_id = $1::integer
order by r.source_id, r.file, r."at"
limit $2 offset $3
