-- What training programs state of their steps: how long one took and how long of it it waited for data, as pairs of gauges
-- (`train/data_time` beside `train/step_time`) or in log lines (`time: 0.65  data_time: 0.31`). A row as in load-slices.sql for each
-- slice of time; a statement counts for the time since the one before, so that the unit of its numbers does not matter.
-- $1: JSON list of {metric, unit, means, unit_ms} as in step-series.sql, of loads (`data_wait`) and of steps; $2, $3: a load and a step
-- time in a log line, the number being the first group (regular expressions, case does not matter); $4: share of a step from which it
-- stalls; $5: rows at most, as far as slices go; $6: evaluations, whose lines do not count.
with known as (
  select unnest(json_transform($1::varchar::json, '[{"metric": "VARCHAR", "unit": "VARCHAR", "means": "VARCHAR", "unit_ms": "DOUBLE"}]'), recursive := true)
),
gauge as (
  select s.series_id, c.canonical_id as entity, s.resource, coalesce(s.attributes, '') as attributes, k.means = 'data_wait' as is_load,
    coalesce(k.unit_ms, 0) * 1e6 as unit_ns
  from series s
  join known k on k.metric = s.metric and k.unit = coalesce(s.unit, '')
  join canonical c on c.entity_id = s.entity
  where s.kind = 'gauge'
),
-- Two candidates for the time of a step are none.
pair as (
  select l.series_id, any_value(l.entity) as entity, any_value(l.resource) as resource, any_value(l.attributes) as stated,
    any_value(g.series_id) as step_series, any_value(l.unit_ns) as unit_ns, any_value(g.unit_ns) as step_unit_ns
  from gauge l
  join gauge g on not g.is_load and g.entity = l.entity and g.resource is not distinct from l.resource and g.attributes = l.attributes
  where l.is_load
  group by l.series_id
  having count(*) = 1 and (any_value(l.unit_ns) > 0) = (any_value(g.unit_ns) > 0)
),
stated_by as (
  select p.entity, p.resource, p.stated, l.time_ns + src.clock_offset_ns as time_ns, l.value * greatest(1, p.unit_ns) as load, s.value * greatest(1, p.step_unit_ns) as step,
    'metric:' || p.series_id || '@' || (l.time_ns + src.clock_offset_ns) as ref
  from pair p
  join point l on l.series = p.series_id
  join point s on s.series = p.step_series and s.source_id = l.source_id and s.time_ns = l.time_ns
  join source src on src.source_id = l.source_id
  union all
  select coalesce(c.canonical_id, -1), l.resource, l.attributes, l.time_ns + src.clock_offset_ns,
    try_cast(regexp_extract(left(l.body, 600), $2::varchar, 1, 'i') as double), try_cast(regexp_extract(left(l.body, 600), $3::varchar, 1, 'i') as double),
    'log:' || l.source_id || '/' || l.rowid
  from log l
  join source src using (source_id)
  left join resource r on r.resource_id = l.resource
  left join canonical c on c.entity_id = r.entity
  where contains(l.body, 'ata') and regexp_matches(left(l.body, 600), $2::varchar, 'i') and regexp_matches(left(l.body, 600), $3::varchar, 'i')
    and not (regexp_matches(left(l.body, 200), $6::varchar, 'i') and not contains(lower(left(l.body, 200)), 'train'))
),
carrier as (
  select resource_id, case when json_valid(attributes) then attributes end as stated
  from resource
  where resource_id in (select distinct resource from stated_by)
),
carried as (
  select resource_id,
    coalesce(stated->>'$."gen_ai.training.rank"', stated->>'$."nccl.rank"', stated->>'$."torch.distributed.rank"', stated->>'$."training.rank"',
      stated->>'$."slurm.procid"', stated->>'$.rank') as rank,
    concat_ws('/', stated->>'$."k8s.namespace.name"', coalesce(stated->>'$."gen_ai.training.job_id"', stated->>'$."training.job_id"',
      stated->>'$."slurm.job.id"', stated->>'$."slurm.job_id"', stated->>'$."k8s.job.name"', stated->>'$.job_id', stated->>'$."job.id"')) as job,
    concat_ws('/', stated->>'$."k8s.pod.name"', stated->>'$."host.name"', stated->>'$."process.pid"', stated->>'$."service.instance.id"') as place
  from carrier
),
placed as (
  select s.entity, coalesce(r.job, '') as job,
    case when e.kind in ('rank', 'process') or not json_valid(coalesce(s.stated, '{}')) then '' else coalesce(s.stated->>'$."gen_ai.training.rank"', s.stated->>'$."torch.distributed.rank"',
      s.stated->>'$."training.rank"', s.stated->>'$.rank', r.rank, '') end as rank,
    case when e.kind in ('rank', 'process') then '' else coalesce(r.place, '') end as place, s.time_ns, s.load, s.step, s.ref
  from stated_by s
  left join carried r on r.resource_id = s.resource
  left join entity e on e.entity_id = s.entity
  where s.step > 0 and s.load >= 0 and s.load <= s.step
),
spaced as (
  select *, concat_ws(chr(31), entity, job, rank, case when rank = '' then place else '' end) as thread,
    lag(time_ns) over (partition by entity, job, rank, case when rank = '' then place else '' end order by time_ns, ref) as last_ns
  from placed
),
cycle as (select *, (time_ns - last_ns) * load / step as load_ns from spaced where time_ns > last_ns),
paced as (
  select greatest(1, (max(time_ns) - min(last_ns)) // greatest(100, least(20000, $5::bigint // count(distinct thread)))) as slice_ns
  from cycle
)
select entity, rank, case when rank = '' then place else '' end as place, max(job) as job, thread, 'stated' as measured, count(*)::double as steps,
  count(*) filter (load >= $4::double * step)::double as stalled, sum(time_ns - last_ns)::double / 1e9 as time_s, sum(load_ns)::double / 1e9 as load_s,
  max(load_ns)::double / 1e9 as longest_s, arg_max(ref, load_ns) as ref, min(last_ns) as start_ns, max(time_ns) as end_ns
from cycle, paced
group by entity, rank, case when rank = '' then place else '' end, thread, last_ns // slice_ns
order by entity, rank, place, thread, start_ns
limit 5 * $5::bigint
