-- After `took`, `process`, `asked` and `sought`: what the processes of a job did in each slice of the window. Slices that are wholly within one
-- interval are not listed: `opens` counts intervals that fill slices from here on, less those that end.
-- share: of the slice that is within intervals which begin or end in it; weighted: by what an interval took, in seconds.
, drawn as (select process, s.row from process join sought s using (entity, rank, job, place)),
clipped as (
  select w.row, t.seconds, greatest((t.start_ns - a.from_ns) / a.slice_ns, 0.0) as since, least((t.end_ns - a.from_ns) / a.slice_ns, a.slices) as until
  from took t
  join drawn w using (process), asked a
  where t.end_ns > a.from_ns and t.start_ns < a.to_ns
),
cut as (select *, floor(since)::integer as first, floor(until)::integer as last from clipped),
part as (
  select row, first as slice, seconds, case when first = last then until - since else first + 1 - since end as share, 0 as opens from cut
  union all
  select row, last, seconds, until - last, 0 from cut where last > first
  union all
  select row, first + 1, seconds, 0, 1 from cut where last > first + 1
  union all
  select row, last, seconds, 0, -1 from cut where last > first + 1
)
select row, slice, sum(share) as share, sum(share * seconds) as weighted, sum(opens)::double as opens, sum(opens * seconds) as opened
from part, asked
where slice < slices
group by row, slice
order by row, slice
