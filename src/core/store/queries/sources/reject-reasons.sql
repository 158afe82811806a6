-- How many rows were rejected for each reason, the most frequent first. $1: source_id or NULL for all; $2: most.
select r.source_id, s.name as source, coalesce(r.reason, '') as reason, count(*)::double as rows
from reject r
join source s using (source_id)
where $1::integer is null or r.source_id = $1::integer
group by all
order by rows desc, r.source_id, reason
limit $2
