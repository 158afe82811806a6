-- Common part of queries on the series of a region and of its baseline: their values. Cumulative
-- sums become rates per second (a fall is a reset and gives none), deltas are divided by the time since the sample before, or, where instants were left out, since their own
-- start (none is given where they have none);
-- histograms and summaries become the mean of what was collected since the sample before.
-- $1, $2: region, $3, $4: baseline, nanoseconds on the case's clock, ends exclusive. $5: 'all', or list of the entities
-- (ids, as recorded) that count. $6: whether the baseline is what the region leaves over instead of the same entities. $7, $8:
-- powers of two; samples of one instant of so many are looked at in the region and in the baseline.
with meant_entity as (select unnest(nullif($5, 'all')::integer[]) as id),
meant_series as (
  select series_id, temporality, case when kind = 'sum' and monotonic = 1 then 'rate' when kind in ('gauge', 'sum') then 'value' else 'mean' end as reading, $5 = 'all' or entity in (from meant_entity) as meant
  from series where entity is not null
),
-- A scan for each table and side: what it leaves out by its own columns it does not read. Of a union of both tables every
-- value would be read before a share of them is taken: 0.18 s of 50 M points instead of 0.02.
likely as (
  select true as inside, series, source_id, start_ns, time_ns, value, null::double as weight from point where hash(time_ns) & ($7 - 1)::ubigint = 0
    and time_ns >= $1 - (select max(clock_offset_ns) from source) and time_ns < $2 - (select min(clock_offset_ns) from source)
    and ($5 = 'all' or series in (select series_id from meant_series where meant))
  union all
  select true, series, source_id, start_ns, time_ns, sum, count from distribution where hash(time_ns) & ($7 - 1)::ubigint = 0
    and time_ns >= $1 - (select max(clock_offset_ns) from source) and time_ns < $2 - (select min(clock_offset_ns) from source)
    and ($5 = 'all' or series in (select series_id from meant_series where meant))
  union all
  select false, series, source_id, start_ns, time_ns, value, null from point where hash(time_ns) & ($8 - 1)::ubigint = 0
    and time_ns >= $3 - (select max(clock_offset_ns) from source) and time_ns < $4 - (select min(clock_offset_ns) from source)
  union all
  select false, series, source_id, start_ns, time_ns, sum, count from distribution where hash(time_ns) & ($8 - 1)::ubigint = 0
    and time_ns >= $3 - (select max(clock_offset_ns) from source) and time_ns < $4 - (select min(clock_offset_ns) from source)
),
sample as materialized (
  select p.series, p.inside, p.start_ns, p.time_ns, p.time_ns + src.clock_offset_ns as at_ns, p.value, p.weight
  from likely p
  join meant_series s on s.series_id = p.series
  join source src using (source_id)
  where isfinite(p.value) and case when p.inside then s.meant and at_ns >= $1 and at_ns < $2
    else at_ns >= $3 and at_ns < $4 and (s.meant or $6) and not (s.meant and at_ns >= $1 and at_ns < $2) end
),
-- 500 samples per series are enough: only series with more are thinned further.
share as (
  select series, inside, (case when inside then $7 else $8 end << greatest(0, ceil(log2(count(*) / 500))::integer)) - 1 as mask
  from sample group by series, inside
),
thinned as (
  select sample.*, mask, reading, temporality
  from sample join share using (series, inside) join meant_series on series_id = series
  where hash(time_ns) & mask::ubigint = 0
),
stepped as (
  select *, value - lag(value) over w as step, weight - lag(weight) over w as more, (at_ns - lag(at_ns) over w) / 1e9 as seconds
  from thinned
  window w as (partition by series order by at_ns)
),
reported as (
  select series, inside, reading,
    case
      when reading = 'value' then value
      when reading = 'mean' and temporality = 1 then case when weight > 0 then value / weight end
      when reading = 'mean' then case when more > 0 then step / more end
      when temporality = 1 and mask = 0 then case when seconds > 0 then value / seconds end
      -- The sample before was left out: only the point itself has its start time.
      when temporality = 1 then case when start_ns > 0 and time_ns > start_ns then value / ((time_ns - start_ns) / 1e9) end
      when step >= 0 and seconds > 0 then step / seconds
    end as value
  from stepped
),
