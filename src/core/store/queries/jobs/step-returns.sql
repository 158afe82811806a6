-- After steps-of-lines.sql: where the number of a process's step goes back. Lines of two recordings of one process lie between each
-- other: then that is none. $2: rows at most.
select f.entity, f.rank, '' as job, f.place, f.time_ns, f.before as from_step, f.step as to_step
from followed f
left join (select distinct entity, rank, place, source_id, source_end_ns from followed) b
  on b.entity = f.entity and b.rank = f.rank and b.place = f.place and b.source_id = f.before_source
where f.step < f.before and (f.before_source = f.source_id or b.source_end_ns < f.time_ns)
order by f.time_ns, f.entity, f.rank, f.place
limit $2::bigint
