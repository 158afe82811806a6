-- Pods whose processor time began to be counted during the recording: from the first two samples of each counter, the time at which it
-- was zero. A counter that had begun long before its first sample, or with the recording of its source, shows no start; nor does that
-- of a pod whose start was recorded at about that time. Of several containers of a pod the first one counts.
-- $1: regular expression of metrics that count seconds of processor time. $2: how many sampling distances before the first sample it may
-- have begun, at most. $3: seconds from a recorded start within which another one is the same.
with counter as (
  select s.series_id, s.metric, c.canonical_id as entity
  from series s
  join canonical c on c.entity_id = s.entity
  join entity e on e.entity_id = c.canonical_id
  where e.kind = 'pod' and s.temporality <> 1 and regexp_matches(s.metric, $1::varchar)
),
sample as (
  select counter.entity, counter.metric, p.series, p.source_id, p.value, p.time_ns, src.clock_offset_ns as offset_ns,
    row_number() over own as number, lead(p.value) over own as next_value, lead(p.time_ns) over own as next_ns
  from point p
  join counter on counter.series_id = p.series
  join source src on src.source_id = p.source_id
  where isfinite(p.value)
  window own as (partition by p.series order by p.time_ns + src.clock_offset_ns, p.source_id)
),
recorded as (
  select p.source_id, min(p.time_ns) as first_ns from point p where p.source_id in (select source_id from sample) group by p.source_id
),
start as (
  select s.*, (next_value - value) / step_ns * 1e9 as cores,
    try(time_ns - (value / (next_value - value) * step_ns)::bigint) as start_ns
  from (select *, try(next_ns - time_ns) as step_ns from sample) s
  where number = 1 and value >= 0 and next_value > value and step_ns > 0
    and value <= $2::double * (next_value - value)
),
begun as (
  select start.* from start
  join recorded r using (source_id)
  where start_ns > r.first_ns
  qualify row_number() over (partition by entity order by start_ns, series) = 1
)
select b.entity, b.series as series_id, b.metric, b.source_id, b.start_ns, b.time_ns, b.value, b.cores,
  b.step_ns / 1e9 as floor_s
from begun b
where not exists (
  from event e
  join name n on n.name_id = e.type
  join canonical c on c.entity_id = e.entity
  join source src on src.source_id = e.source_id
  where n.text = 'pod_started' and c.canonical_id = b.entity and not starts_with(coalesce(e.original_id, ''), 'derived:')
    and coalesce(try(abs(e.time_ns + src.clock_offset_ns - b.start_ns - b.offset_ns)) <= $3::double * 1e9, false)
)
order by b.start_ns, b.entity
