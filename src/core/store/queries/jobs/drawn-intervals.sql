-- After waits-of-ranks.sql: what the ranks of a job did, one row each, in seconds since 1970. One more than two million shows that
-- there are too many.
, drawn as (select process, s.row from process join sought s using (entity, rank, job, place))
select d.row, t.start_ns / 1e9 as start_s, t.end_ns / 1e9 as end_s, t.seconds
from took t
join drawn d using (process)
where t.end_ns > t.start_ns
limit 2000001
