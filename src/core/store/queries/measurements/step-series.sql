-- Series that measure the steps of training jobs: how many were done, how long one took. `work` is the service or job, `rank` the number
-- that their attributes or those of their resource name; '': none. Without one it is the only service that runs on what they are about, else the `job` of the scrape. Before
-- step-counters.sql, service-metric-ranks.sql, stopped-ranks.sql and steps-of-metrics.sql. $1: JSON list of {metric, unit, means, unit_ms}: the metrics of
-- training programs among those of the case, `steps` or `step_time`, with the milliseconds of a value of 1.
with known as (
  select unnest(json_transform($1::varchar::json, '[{"metric": "VARCHAR", "unit": "VARCHAR", "means": "VARCHAR", "unit_ms": "DOUBLE"}]'), recursive := true)
),
stated as (
  select s.series_id, s.metric, s.kind, s.temporality, c.canonical_id as entity, e.kind as entity_kind, e.id as entity_id,
    case when json_valid(s.attributes) then s.attributes::json end as own, case when json_valid(r.attributes) then r.attributes::json end as carrier,
    k.means = 'steps' as is_count, k.means = 'step_time' as is_time, k.unit_ms
  from series s
  join known k on k.metric = s.metric and k.unit = coalesce(s.unit, '')
  join canonical c on c.entity_id = s.entity
  join entity e on e.entity_id = c.canonical_id
  left join resource r on r.resource_id = s.resource
  where k.means in ('steps', 'step_time')
),
named as (
  select series_id, metric, kind, temporality, entity, entity_kind, is_count, is_time, unit_ms,
    coalesce(own->>'$."gen_ai.training.rank"', own->>'$.gen_ai_training_rank', own->>'$."torch.distributed.rank"', own->>'$."training.rank"', own->>'$.global_rank', own->>'$.rank',
      carrier->>'$."gen_ai.training.rank"', carrier->>'$."torch.distributed.rank"', carrier->>'$."training.rank"', carrier->>'$."slurm.procid"', carrier->>'$.rank', '') as rank,
    concat_ws('/', coalesce(carrier->>'$."k8s.namespace.name"', own->>'$."k8s.namespace.name"'), coalesce(own->>'$."gen_ai.training.job_id"', own->>'$.gen_ai_training_job_id',
      own->>'$."training.job_id"', own->>'$.job_id', carrier->>'$."gen_ai.training.job_id"', carrier->>'$."training.job_id"',
      carrier->>'$."slurm.job.id"', carrier->>'$."slurm.job_id"', carrier->>'$."k8s.job.name"')) as job,
    coalesce(carrier->>'$."service.name"', own->>'$."service.name"', own->>'$.service_name', own->>'$.service', '') as service, own->>'$.job' as scrape
  from stated
),
job_of as (
  select c.canonical_id as entity, min(j.canonical_id) as job
  from edge g
  join name k on k.name_id = g.kind and k.text = 'member_of'
  join canonical c on c.entity_id = g.from_entity
  join canonical j on j.entity_id = g.to_entity
  join entity e on e.entity_id = j.canonical_id and e.kind = 'job'
  where c.canonical_id in (select entity from named where entity_kind = 'rank')
  group by c.canonical_id
),
service_on as (
  select c.canonical_id as entity, min(w.canonical_id) as service
  from edge g
  join name k on k.name_id = g.kind and k.text = 'runs_on'
  join canonical c on c.entity_id = g.to_entity
  join canonical w on w.entity_id = g.from_entity
  join entity e on e.entity_id = w.canonical_id and e.kind = 'service'
  where c.canonical_id in (select entity from named where entity_kind not in ('service', 'job', 'rank'))
  group by c.canonical_id
  having count(distinct w.canonical_id) = 1
),
step_series as (
  select n.* exclude (rank, job, service, scrape, entity_kind), case when regexp_matches(n.rank, '^\d{1,6}$') then n.rank else '' end as rank,
    coalesce(case when n.entity_kind in ('service', 'job') then n.entity end, r.job, jc.canonical_id, sc.canonical_id, o.service, pc.canonical_id) as work
  from named n
  left join job_of r on n.entity_kind = 'rank' and r.entity = n.entity
  left join entity j on j.kind = 'job' and j.id = n.job
  left join canonical jc on jc.entity_id = j.entity_id
  left join entity s on s.kind = 'service' and s.id = n.service
  left join canonical sc on sc.entity_id = s.entity_id
  left join service_on o on o.entity = n.entity
  left join entity p on p.kind = 'service' and p.id = n.scrape
  left join canonical pc on pc.entity_id = p.entity_id
)
