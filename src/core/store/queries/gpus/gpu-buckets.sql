-- What GPUs measured in equal parts of a window: $1, $2: its begin and end, nanoseconds on the case's clock; $3: length of a part. A row for
-- each GPU, metric and part with a sample. `bits`: reasons that stood at some time; `grown`: by how much a counter grew; `changes`: how often
-- another value than before came that is not 0. The last sample before a part counts for these, the first of a series does not.
with sample as (
  select c.canonical_id as gpu, s.metric, p.series, p.value,
    ((p.time_ns + src.clock_offset_ns - $1) // $3)::integer as part,
    lag(p.value) over (partition by p.series order by p.time_ns) as before
  from point p
  join source src on src.source_id = p.source_id
  join series s on s.series_id = p.series
  join canonical c on c.entity_id = s.entity
  join entity x on x.entity_id = c.canonical_id
  where x.kind = 'gpu' and isfinite(p.value) and p.time_ns + src.clock_offset_ns >= $1 and p.time_ns + src.clock_offset_ns < $2
    and s.metric in ('hw.gpu.utilization', 'hw.temperature', 'hw.gpu.xid', 'hw.gpu.ecc.corrected', 'hw.gpu.ecc.uncorrected',
      'hw.gpu.clocks_event_reasons', 'hw.gpu.throttle.power', 'hw.gpu.throttle.thermal', 'hw.gpu.throttle.brake',
      'gpu.throttle.power_active', 'gpu.throttle.thermal_active', 'gpu.throttle.hw_active')
)
select gpu, metric, part, min(value) as lowest, max(value) as highest,
  (bit_or(value::bigint) filter (metric = 'hw.gpu.clocks_event_reasons'))::integer as bits,
  -- A counter that falls began anew.
  coalesce(sum(case when value >= before then value - before else value end) filter (before is not null), 0) as grown,
  (count(*) filter (before is not null and value <> before and value <> 0))::integer as changes
from sample
group by gpu, metric, part
order by gpu, metric, part
