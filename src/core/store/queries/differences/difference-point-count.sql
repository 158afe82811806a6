-- Samples of series, and collections of histograms, in a region and in its baseline. $1, $2: region, $3, $4: baseline, ends exclusive. $5: 'all', or list of
-- the entities (ids, as recorded) that count. $6: whether the baseline is what the region leaves over instead of the same entities.
with meant_entity as (select unnest(nullif($5, 'all')::integer[]) as id),
sided as (
  select p.time_ns + src.clock_offset_ns as at_ns, $5 = 'all' or s.entity in (from meant_entity) as meant
  from (select series, source_id, time_ns from point union all select series, source_id, time_ns from distribution) p
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  where s.entity is not null and p.time_ns between least($1, $3) - src.clock_offset_ns and greatest($2, $4) - src.clock_offset_ns
)
select count(*) filter (meant and at_ns >= $1 and at_ns < $2)::double as region,
  count(*) filter (not (meant and at_ns >= $1 and at_ns < $2) and at_ns >= $3 and at_ns < $4 and (meant or $6))::double as baseline
from sided
