-- Whether a GPU is held down now, by power, thermal, sw (every reason of software) and hw (every reason of hardware, and bits
-- without a name): the last sample of the mask of reasons (bits as in NVML's clocksEventReasons), or of the states that an agent
-- made of it. What is five minutes older than the newest is not known any more.
-- gpu_uuid, gpu_index, host_name: null where no record names them.
with sample as (
  select c.canonical_id as entity, s.metric, arg_max(p.value, p.time_ns + src.clock_offset_ns) as value,
    max(p.time_ns + src.clock_offset_ns) as time_ns
  from point p
  join source src on src.source_id = p.source_id
  join series s on s.series_id = p.series
  join canonical c on c.entity_id = s.entity
  where s.metric in ('hw.gpu.clocks_event_reasons', 'gpu.throttle.power_active', 'gpu.throttle.thermal_active',
      'gpu.throttle.sw_active', 'gpu.throttle.hw_active')
    and isfinite(p.value)
  group by all
),
recent as (from sample where time_ns >= (select max(time_ns) from sample) - 300000000000),
state as (
  select entity, reason, (value::ubigint & bits <> 0) as is_active, time_ns
  from recent, (values ('power', 132::ubigint), ('thermal', 96::ubigint), ('sw', 310::ubigint),
    ('hw', 18446744073709551304::ubigint)) as reasons(reason, bits)
  where metric = 'hw.gpu.clocks_event_reasons' and value >= 0 and value < 9223372036854775808
  union all
  select entity, regexp_extract(metric, '([a-z]+)_active$', 1), value > 0, time_ns
  from recent where metric like 'gpu.throttle.%'
),
known as (
  select c.canonical_id as entity,
    min(a.name) filter (a.kind = 'gpu_uuid') as gpu_uuid,
    min(regexp_extract(a.name, '/gpu([0-9]+)$', 1)) filter (a.kind = 'gpu_index') as gpu_index
  from alias a
  join canonical c on c.entity_id = a.entity_id
  group by all
),
host as (
  select t.canonical_id as entity, min(e.id) as host_name
  from edge
  join name k on k.name_id = edge.kind
  join canonical f on f.entity_id = edge.from_entity
  join entity e on e.entity_id = f.canonical_id
  join canonical t on t.entity_id = edge.to_entity
  where k.text = 'contains' and e.kind = 'server'
  group by all
)
select e.id as gpu, coalesce(known.gpu_uuid, case when e.id like 'GPU-%' then e.id end) as gpu_uuid,
  coalesce(known.gpu_index, nullif(regexp_extract(e.id, '/gpu([0-9]+)$', 1), '')) as gpu_index, host.host_name, reason,
  bool_or(is_active) as is_active, max(time_ns) as time_ns
from state
join entity e on e.entity_id = state.entity
left join known on known.entity = state.entity
left join host on host.entity = state.entity
group by all
order by gpu, reason
