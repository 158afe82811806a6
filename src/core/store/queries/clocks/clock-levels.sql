-- How fast the GPUs' clocks ran and how busy they were, by slices of time. $1: length of a slice, nanoseconds.
-- `series` and `sample_ns` name a sample of the clock in it.
select c.canonical_id as entity, (p.time_ns + src.clock_offset_ns) // $1::bigint as slice,
  median(p.value) filter (s.metric = 'hw.gpu.clock.sm') as clock_mhz,
  median(p.value) filter (s.metric = 'hw.gpu.utilization') as busy,
  min(s.series_id) filter (s.metric = 'hw.gpu.clock.sm') as series_id,
  min(p.time_ns + src.clock_offset_ns) filter (s.metric = 'hw.gpu.clock.sm') as sample_ns
from point p
join series s on s.series_id = p.series
join source src on src.source_id = p.source_id
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
where s.metric in ('hw.gpu.clock.sm', 'hw.gpu.utilization') and e.kind = 'gpu' and isfinite(p.value)
group by c.canonical_id, slice
having count(*) filter (s.metric = 'hw.gpu.clock.sm') > 0
order by slice, entity
