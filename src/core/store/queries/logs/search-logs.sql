-- Log records whose body has the text in it, the first ones. $1: text; $2: most.
select 'log:' || l.source_id || '/' || l.rowid as ref, l.time_ns + s.clock_offset_ns as time_ns, left(l.body, 300) as body
from log l
join source s using (source_id)
where contains(lower(l.body), lower($1::varchar))
order by l.time_ns
limit $2::integer
