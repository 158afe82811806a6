-- Times without any samples of a sampling data source: its feed was down, whatever it would have
-- shown. Longer than two and a half times the distance that 95 % of its seconds with samples keep, so that a collector that
-- sends in bursts is not taken for one that fails. A sample without a value is no silence, and a feed
-- that goes down was up: a few seconds with samples lie on either side.
-- A live feed reports its own outages with reasons: these are returned instead. What lasts still ends, as far as is
-- known, with what was recorded last.
with reported as (
  select source_id, from_ns, coalesce(until_ns, greatest(from_ns, (select max(last_ns) from source))) as until_ns, reason,
    until_ns is null as is_open
  from outage
),
second as (
  select source_id, time_ns // 1000000000 as second, min(time_ns) as first_ns, max(time_ns) as last_ns
  from point
  group by all
),
stepped as (
  select source_id, first_ns, lag(last_ns) over w as before_ns, row_number() over w as nth,
    count(*) over (partition by source_id) as seconds
  from second
  window w as (partition by source_id order by second)
),
usual as (
  select source_id, quantile_cont(first_ns - before_ns, 0.95) as usual_ns
  from stepped
  where before_ns is not null
  group by source_id
),
silent as (
  select stepped.source_id, before_ns, stepped.first_ns
  from stepped
  join usual using (source_id)
  where stepped.first_ns - before_ns > greatest(2.5 * usual_ns, 2000000000)
    and nth > 3 and seconds - nth >= 3
),
missed as (
  select source_id, from_ns as start_ns, until_ns as end_ns, reason, is_open from reported
  union all
  select source_id, before_ns, first_ns, null, false
  from silent
  where not exists (
    from reported where reported.source_id = silent.source_id and reported.from_ns < silent.first_ns and reported.until_ns > silent.before_ns
  )
)
select source_id, start_ns + src.clock_offset_ns as start_ns, end_ns + src.clock_offset_ns as end_ns, reason, is_open
from missed
join source src using (source_id)
order by source_id, start_ns
limit 10000
