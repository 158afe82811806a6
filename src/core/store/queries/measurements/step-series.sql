-- Series that measure the steps of training jobs: how many were done, how long one took. `work` is the service or job, `rank` the number
-- that their attributes or those of their resource name; '': none. Without one it is the only service that runs on what they are about, else the `job` of the scrape. Before
-- step-counters.sql, service-metric-ranks.sql and stopped-ranks.sql.
with stated as (
  select s.series_id, s.metric, s.kind, s.temporality, s.unit, c.canonical_id as entity, e.kind as entity_kind, e.id as entity_id,
    case when json_valid(s.attributes) then s.attributes::json end as own, case when json_valid(r.attributes) then r.attributes::json end as carrier,
    regexp_matches(lower(s.metric), '(train|global|optimi[sz]er).*(step|iteration)s?([._](total|count|number|completed))?$')
      and not regexp_matches(lower(s.metric), 'eval|valid|test|per_|time|duration|max|warm|rate') as is_count,
    regexp_matches(lower(s.metric), '(^|[._/])(step|iteration|iter)s?([._/]|$)') and regexp_matches(lower(s.metric), 'time|duration|latency|second|millis|([._]ms$)')
      and not regexp_matches(lower(s.metric), 'eval|valid|test|per_|max|min_|warm|rate|load|fetch|data|forward|backward|optimi|checkpoint|save|wait|idle|remain|timestamp|total$') as is_time
  from series s
  join canonical c on c.entity_id = s.entity
  join entity e on e.entity_id = c.canonical_id
  left join resource r on r.resource_id = s.resource
  where regexp_matches(lower(s.metric), 'step|iter')
),
named as (
  select series_id, metric, kind, temporality, entity, entity_kind, is_count, is_time,
    case coalesce(nullif(unit, ''), regexp_extract(lower(metric), '(seconds|milliseconds|ms|s)$', 1))
      when 's' then 1e3 when 'seconds' then 1e3 when 'ms' then 1 when 'milliseconds' then 1 when 'us' then 1e-3 when 'ns' then 1e-6 when 'min' then 6e4 end as unit_ms,
    coalesce(own->>'$."gen_ai.training.rank"', own->>'$.gen_ai_training_rank', own->>'$."torch.distributed.rank"', own->>'$."training.rank"', own->>'$.global_rank', own->>'$.rank',
      carrier->>'$."gen_ai.training.rank"', carrier->>'$."torch.distributed.rank"', carrier->>'$."training.rank"', carrier->>'$."slurm.procid"', carrier->>'$.rank', '') as rank,
    concat_ws('/', coalesce(carrier->>'$."k8s.namespace.name"', own->>'$."k8s.namespace.name"'), coalesce(own->>'$."gen_ai.training.job_id"', own->>'$.gen_ai_training_job_id',
      own->>'$."training.job_id"', own->>'$.job_id', carrier->>'$."gen_ai.training.job_id"', carrier->>'$."training.job_id"',
      carrier->>'$."slurm.job.id"', carrier->>'$."slurm.job_id"', carrier->>'$."k8s.job.name"')) as job,
    coalesce(carrier->>'$."service.name"', own->>'$."service.name"', own->>'$.service_name', own->>'$.service', '') as service, own->>'$.job' as scrape
  from stated
  where is_count or is_time
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
