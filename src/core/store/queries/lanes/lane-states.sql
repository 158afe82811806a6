-- Stretches in which a series shows one value: a sample that shows another ends it, and so does a silence of more than two
-- and a half times the usual distance of samples, behind which nothing is known. Samples are looked for around the window,
-- too, as far as it is long and at least an hour: a rarely sampled state must not vanish between two samples.
-- Times are nanoseconds after the window's start. $1, $2: window; $3: list of series ids.
with sample as (
  select p.series, p.time_ns + src.clock_offset_ns - $1 as at_ns, p.value
  from point p
  join source src on src.source_id = p.source_id
  where p.series in (select unnest($3::integer[]))
    and p.value is not null
    and p.time_ns between $1 - greatest($2 - $1, 3600000000000) - src.clock_offset_ns
      and $2 + greatest($2 - $1, 3600000000000) - src.clock_offset_ns
),
stepped as (
  select *, lag(value) over w as before_value, at_ns - lag(at_ns) over w as after_ns
  from sample
  window w as (partition by series order by at_ns, value)
),
usual as (select series, coalesce(median(after_ns) filter (after_ns > 0), 0) as usual_ns from stepped group by series),
judged as (
  select s.series, s.at_ns, s.value, u.usual_ns, s.after_ns > 2.5 * u.usual_ns as is_after_gap,
    s.before_value is null or s.before_value <> s.value or s.after_ns > 2.5 * u.usual_ns as begins
  from stepped s
  join usual u using (series)
),
numbered as (select *, sum(begins::integer) over (partition by series order by at_ns, value) as run from judged)
select series, any_value(value) as value, min(at_ns)::double / 1e9 as first_s, max(at_ns)::double / 1e9 as last_s,
  bool_or(is_after_gap and begins) as is_after_gap, any_value(usual_ns)::double / 1e9 as usual_s
from numbered
group by series, run
order by series, run
