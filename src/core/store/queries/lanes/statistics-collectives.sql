-- How long the operations that begin within a time took, in ms; those that were not through count, and are not measured.
-- $1, $2: from, until; $3: list of {lane: n, rank: id}.
with wanted as (
  select unnest($3::struct(lane integer, rank integer)[], recursive := true)
),
measured as (
  select w.lane, case when c.completed_ns > 0 then (c.completed_ns - coalesce(nullif(c.started_ns, 0), c.created_ns)) / 1e6 end as ms
  from collective c
  join wanted w using (rank)
  join source src on src.source_id = c.source_id
  where coalesce(nullif(c.started_ns, 0), c.created_ns) between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
)
select lane, count(*)::double as count, min(ms) as min, avg(ms) as mean, quantile_cont(ms, 0.95) as p95, max(ms) as max
from measured
group by lane
