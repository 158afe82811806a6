-- Throttle time of each GPU, by reason, in seconds since the recording began: the driver's own counters where they
-- are recorded, else the time between samples of the mask of reasons in which a bit stood (bits as in NVML's
-- clocksEventReasons: 0x4 power cap, 0x20 and 0x40 heat, 0x80 power brake; sw: every reason of software, 0x2, 0x4, 0x10, 0x20,
-- 0x100; hw: every one of hardware, 0x8, 0x40, 0x80, and every bit without a name), or of the states that an agent made of it.
-- A gap of more than a minute counts for nothing.
-- A counter that falls began anew. Of several series for one reason (heat by software and by
-- hardware, two recorders of one GPU) the largest is returned: they overlap, and a sum would count the same seconds twice.
-- from_ns and until_ns: the first and the last sample that this rests on, on the case's clock.
with sample as (
  select c.canonical_id as entity, s.metric, p.series, p.value, p.time_ns + src.clock_offset_ns as time_ns,
    (lead(p.time_ns) over own - p.time_ns) / 1e9 as seconds,
    p.value - lag(p.value) over own as step
  from point p
  join source src on src.source_id = p.source_id
  join series s on s.series_id = p.series
  join canonical c on c.entity_id = s.entity
  where s.metric in ('hw.gpu.clocks_event_reasons', 'hw.gpu.throttle.power', 'hw.gpu.throttle.thermal', 'hw.gpu.throttle.brake',
      'gpu.throttle.power_active', 'gpu.throttle.thermal_active', 'gpu.throttle.sw_active', 'gpu.throttle.hw_active')
    and isfinite(p.value)
  window own as (partition by p.series order by p.time_ns)
),
grown as (
  select entity, replace(metric, 'hw.gpu.throttle.', '') as reason, series,
    coalesce(sum(step) filter (step > 0), 0) as seconds, min(time_ns) as from_ns, max(time_ns) as until_ns
  from sample
  where metric like 'hw.gpu.throttle.%'
  group by all
),
masked as (
  select entity, reason, series, sum(case when value::ubigint & bits <> 0 and seconds <= 60 then seconds else 0 end) as seconds,
    min(time_ns) as from_ns, max(time_ns) as until_ns
  from sample, (values ('power', 4::ubigint), ('thermal', 96::ubigint), ('brake', 128::ubigint),
    ('sw', 310::ubigint), ('hw', 18446744073709551304::ubigint)) as reasons(reason, bits)
  where metric = 'hw.gpu.clocks_event_reasons' and value >= 0 and value < 9223372036854775808
  group by all
),
stated as (
  select entity, regexp_extract(metric, '([a-z]+)_active$', 1) as reason, series,
    sum(case when value > 0 and seconds <= 60 then seconds else 0 end) as seconds, min(time_ns) as from_ns, max(time_ns) as until_ns
  from sample
  where metric like 'gpu.throttle.%'
  group by all
),
reported as (
  select entity, reason, true as is_counted, max(seconds) as seconds, min(from_ns) as from_ns, max(until_ns) as until_ns
  from grown group by all
  union all
  select entity, reason, false, max(seconds), min(from_ns), max(until_ns) from (from masked union all from stated) group by all
)
select e.id as gpu, reason, arg_max(seconds, is_counted) as seconds, arg_max(from_ns, is_counted) as from_ns,
  arg_max(until_ns, is_counted) as until_ns
from reported
join entity e on e.entity_id = entity
group by all
order by gpu, reason
