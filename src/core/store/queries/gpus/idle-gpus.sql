-- GPUs that worked and then did nothing for at least a minute, to the last sample of them.
with sample as (
  select c.canonical_id as gpu, p.time_ns + src.clock_offset_ns as time_ns, p.value
  from point p
  join series s on s.series_id = p.series
  join source src on src.source_id = p.source_id
  join canonical c on c.entity_id = s.entity
  join entity e on e.entity_id = c.canonical_id
  where s.metric = 'hw.gpu.utilization' and e.kind = 'gpu' and isfinite(p.value)
),
worked as (select gpu, max(time_ns) as busy_until_ns from sample where value >= 20 group by gpu)
select gpu, busy_until_ns, max(time_ns) as idle_until_ns
from sample join worked using (gpu)
where time_ns > busy_until_ns
group by gpu, busy_until_ns
having max(value) < 5 and max(time_ns) - min(time_ns) >= 60000000000
order by gpu
