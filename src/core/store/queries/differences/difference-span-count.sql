-- Spans in a region and in what it is held against; of each side as many as there are, before any sampling.
-- $1, $2: region, $3, $4: baseline, nanoseconds on the case's clock, ends exclusive. $5: 'all', or list of services
-- (entity ids) that count, $6: list of resources that count as well. $7, $8: least and most nanoseconds a span took,
-- the latter exclusive. $9: the name of the spans that count, null: any. $10: whether the baseline is what the region leaves
-- over instead of the same entities, durations and name.
with sided as (
  select
    ($5 = 'all' or s.service in (select unnest(nullif($5, 'all')::integer[]))
      or s.resource in (select unnest($6::integer[])))
      and s.end_ns - s.start_ns >= $7 and s.end_ns - s.start_ns < $8
      and ($9::varchar is null or s.name in (select name_id from name where text = $9)) as meant,
    s.start_ns + src.clock_offset_ns as time_ns
  from span s
  join source src using (source_id)
  where s.start_ns between least($1, $3) - src.clock_offset_ns and greatest($2, $4) - src.clock_offset_ns
)
select count(*) filter (meant and time_ns >= $1 and time_ns < $2)::double as region,
  count(*) filter (not coalesce(meant and time_ns >= $1 and time_ns < $2, false)
    and time_ns >= $3 and time_ns < $4 and (meant or $10))::double as baseline
from sided
