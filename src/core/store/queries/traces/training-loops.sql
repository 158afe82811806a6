-- The training loops of processes: their steps, loads and evaluations, by names of spans. The beginning of other queries.
-- A process is an entity that is one (rank, process), or what attributes separate among the spans of a service: rank, else pod,
-- host, pid and instance. Work of another thread than that of the steps does not hold them up. Loads and steps of an evaluation
-- count for nothing.
-- $1, $2, $3: names of steps, loads and evaluations; $4: of loads, those that only a data loader has (regular expressions, case
-- does not matter).
with meant as (
  select name_id, regexp_matches(text, $1::varchar, 'i') as is_step, regexp_matches(text, $2::varchar, 'i') as is_load,
    regexp_matches(text, $3::varchar, 'i') and not contains(lower(text), 'train') as is_evaluation,
    regexp_matches(text, $4::varchar, 'i') as is_sure
  from name
  where regexp_matches(text, $1::varchar || '|' || $2::varchar || '|' || $3::varchar, 'i')
),
seen as (
  select s.service, s.resource, m.is_step and not m.is_load and not m.is_evaluation as is_step, m.is_load and not m.is_evaluation as is_load, m.is_evaluation, m.is_sure,
    case when regexp_matches(s.attributes, 'rank"|"slurm\.|"thread\.id"|worker') and json_valid(s.attributes) then s.attributes end as stated,
    s.start_ns + src.clock_offset_ns as start_ns, s.end_ns + src.clock_offset_ns as end_ns, s.trace_hi, s.trace_lo, s.span_id
  from span s
  join meant m on m.name_id = s.name
  join source src using (source_id)
  where s.end_ns > s.start_ns
),
-- Texts are read once for all spans that have them in common.
carrier as (select distinct service, resource, stated from seen),
carried as (
  select resource_id, stated->>'$."thread.id"' as thread_id,
    coalesce(stated->>'$."gen_ai.training.rank"', stated->>'$."nccl.rank"', stated->>'$."torch.distributed.rank"', stated->>'$."training.rank"',
      stated->>'$."slurm.procid"', stated->>'$.rank') as rank,
    concat_ws('/', stated->>'$."k8s.namespace.name"', coalesce(stated->>'$."gen_ai.training.job_id"', stated->>'$."training.job_id"',
      stated->>'$."slurm.job.id"', stated->>'$."slurm.job_id"', stated->>'$."k8s.job.name"', stated->>'$.job_id', stated->>'$."job.id"')) as job,
    concat_ws('/', stated->>'$."k8s.pod.name"', stated->>'$."host.name"', stated->>'$."process.pid"', stated->>'$."service.instance.id"') as place
  from (
    select resource_id, case when json_valid(attributes) then attributes end as stated
    from resource
    where resource_id in (select resource from carrier)
  )
),
stated_of as (
  select s.service, s.resource, s.stated, coalesce(c.canonical_id, -1) as entity,
    case when e.kind in ('rank', 'process') then ''
      else coalesce(s.stated->>'$."gen_ai.training.rank"', s.stated->>'$."nccl.rank"', s.stated->>'$."torch.distributed.rank"',
        s.stated->>'$."training.rank"', s.stated->>'$."slurm.procid"', s.stated->>'$.rank', r.rank, '') end as rank,
    coalesce(r.job, '') as job,
    case when e.kind in ('rank', 'process') then '' else coalesce(r.place, '') end as place,
    concat_ws(' ', coalesce(s.stated->>'$."thread.id"', r.thread_id), s.stated->>'$.worker_id', s.stated->>'$."worker.id"', s.stated->>'$."dataloader.worker_id"') as thread_id
  from carrier s
  left join carried r on r.resource_id = s.resource
  left join canonical c on c.entity_id = s.service
  left join entity e on e.entity_id = c.canonical_id
),
threaded as (
  select service, resource, stated, entity, rank, case when rank = '' then place else '' end as place, job, thread_id,
    -- A number, because all that follows is by thread.
    hash(entity, job, rank, case when rank = '' then place else '' end, thread_id) as thread
  from stated_of
),
placed as (
  select t.thread, t.entity, s.is_step, s.is_load, s.is_evaluation, s.is_sure, s.start_ns, s.end_ns, s.trace_hi, s.trace_lo, s.span_id
  from seen s
  join threaded t on t.service is not distinct from s.service and t.resource is not distinct from s.resource and t.stated is not distinct from s.stated
),
evaluation as (
  select thread, start_ns, max(end_ns) over (partition by thread order by start_ns, end_ns desc) as end_ns
  from placed
  where is_evaluation
),
training as (
  select *
  from placed
  where (is_step or is_load) and thread not in (select thread from evaluation)
  union all
  select p.*
  from (select * from placed where (is_step or is_load) and thread in (select thread from evaluation)) p
  asof left join evaluation v on v.thread = p.thread and v.start_ns <= p.start_ns
  where v.end_ns is null or p.start_ns >= v.end_ns
),
-- Of nested steps the outermost.
step as (
  select entity, thread, start_ns, end_ns
  from (
    select *, max(end_ns) over (partition by thread order by start_ns, end_ns desc rows between unbounded preceding and 1 preceding) as before_ns
    from training
    where is_step
  )
  where before_ns is null or start_ns >= before_ns
),
named as (
  select thread, any_value(rank) as rank, any_value(place) as place, max(job) as job,
    any_value(concat_ws(chr(31), entity, job, rank, place, thread_id)) as name
  from threaded
  group by thread
)
