-- Samples in a region's time and in its baseline's, whatever they are of. $1, $2: region, $3, $4: baseline, ends exclusive.
select count(*) filter (p.time_ns >= $1 - src.clock_offset_ns and p.time_ns < $2 - src.clock_offset_ns)::double as region,
  count(*) filter (p.time_ns >= $3 - src.clock_offset_ns and p.time_ns < $4 - src.clock_offset_ns)::double as baseline
from point p
join source src using (source_id)
where p.time_ns between least($1, $3) - src.clock_offset_ns and greatest($2, $4) - src.clock_offset_ns
