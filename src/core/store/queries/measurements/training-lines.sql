-- Log records of training steps. The beginning of service-log-steps.sql, training-runs.sql and others. What the log's text states of a step was lifted when it was read
-- (training.step); fields of structured logs are read here. `entity` is the rank or process that wrote one, where it is known,
-- else the service. A rank without a service counts for its job; of one without a job, whose file names nothing else, for the only
-- service of the same files; else all of them are one job, called after the first. Lines of which only the machine or the pod is known,
-- as syslog has them, are of one job there. $1: services that are left out, comma separated.
with named_writer as (
  select r.resource_id, r.place, coalesce(c.canonical_id, case when own.kind in ('service', 'job', 'server', 'node', 'pod') then own.canonical_id end) as service,
    case when own.kind in ('rank', 'process') then own.canonical_id end as process, coalesce(own.kind = 'rank', false) as is_rank,
    c.canonical_id is not null or own.kind in ('service', 'job') as is_named
  from (
    select resource_id, entity, stated->>'$."service.name"' as named,
      concat_ws('/', stated->>'$."k8s.pod.name"', stated->>'$."host.name"', stated->>'$."process.pid"', stated->>'$."service.instance.id"') as place
    from (select resource_id, entity, case when json_valid(attributes) then attributes end as stated from resource)
  ) r
  left join entity e on e.kind = 'service' and e.id = r.named
  left join canonical c on c.entity_id = e.entity_id
  left join (select c.entity_id, c.canonical_id, e.kind from canonical c join entity e on e.entity_id = c.entity_id) own on own.entity_id = r.entity
),
nameless as (select resource_id, process from named_writer where service is null and is_rank),
job_of as (
  select c.canonical_id as process, min(j.canonical_id) as job
  from edge g
  join name k on k.name_id = g.kind and k.text = 'member_of'
  join canonical c on c.entity_id = g.from_entity
  join canonical j on j.entity_id = g.to_entity
  join entity e on e.entity_id = j.canonical_id and e.kind = 'job'
  where c.canonical_id in (select process from nameless)
  group by c.canonical_id
),
beside as (
  select n.resource_id, min(other.service) as service
  from (select distinct source_id, resource from log where resource in (select resource_id from nameless)) l
  join nameless n on n.resource_id = l.resource
  join (select distinct source_id, resource from log where exists (from nameless)) o using (source_id)
  join named_writer other on other.resource_id = o.resource and other.is_named and other.process is null
  group by n.resource_id
  having count(distinct other.service) = 1
),
writer as (
  select w.* exclude (service, is_named), coalesce(w.service, j.job, b.service,
    case when w.is_rank then min(case when w.service is null and w.is_rank and j.job is null and b.service is null then w.process end) over () end) as service
  from named_writer w
  left join job_of j on j.process = w.process
  left join beside b using (resource_id)
),
wanted as (
  from writer
  where coalesce(service, process) is not null
    and coalesce(service, -1) not in (select unnest(string_split(nullif($1::varchar, ''), ','))::integer)
),
stated as (
  select w.service, coalesce(w.process, w.service) as entity, case when w.process is null then w.place else '' end as place, w.process is null as is_shared, w.is_rank,
    l.source_id, l.resource, src.clock_offset_ns as offset_ns, l.time_ns + src.clock_offset_ns as time_ns, src.first_ns + src.clock_offset_ns as first_ns,
    -- unnest: a filter on what was read would else read each text a second time.
    unnest([case when json_valid(l.attributes) then json_transform(l.attributes, '{
      "training.done": "BOOLEAN", "rank": "VARCHAR",
      "training.step": "DOUBLE", "global_step": "DOUBLE", "step": "DOUBLE", "iteration": "DOUBLE", "iter": "DOUBLE", "train_step": "DOUBLE",
      "training.loss": "VARCHAR", "loss": "VARCHAR", "train_loss": "VARCHAR", "lm_loss": "VARCHAR", "lm loss": "VARCHAR", "train/loss": "VARCHAR",
      "training.step.duration": "DOUBLE", "step_time_s": "DOUBLE", "step_time_seconds": "DOUBLE", "step_duration_s": "DOUBLE", "iteration_time_s": "DOUBLE", "seconds_per_step": "DOUBLE",
      "step_time_ms": "DOUBLE", "step_duration_ms": "DOUBLE", "iteration_time_ms": "DOUBLE", "duration_ms": "DOUBLE", "elapsed_ms": "DOUBLE"
    }') end]) as j,
    -- A number of steps is one of training if the line has what only training has.
    contains(l.attributes, '"training.step') or regexp_matches(l.attributes, '"training\.step|loss|"lr"|learning_rate|grad_?norm|tokens|samples|epoch|step_time|step_duration|iteration_time|seconds_per_step', 'i') as is_training,
    regexp_matches(l.attributes, '"(eval|valid)', 'i') and not contains(l.attributes, 'train') as is_evaluation
  from log l
  join wanted w on w.resource_id = l.resource
  join source src on src.source_id = l.source_id
  -- A search for what begins with a quote stops at each of them: the other text first takes a third less time for all lines.
  where contains(l.attributes, 'step"') or (contains(l.attributes, 'iter') and contains(l.attributes, '"iter'))
    or (contains(l.attributes, 'training.') and contains(l.attributes, '"training.'))
),
line as materialized (
  select service, entity, place, source_id, resource, coalesce(j.rank, '') as rank, is_shared, is_rank, offset_ns, time_ns, first_ns, coalesce(j."training.done", false) as is_done,
    coalesce(j."training.step", j.global_step, j.step, j.iteration, j.iter, j.train_step) as step,
    coalesce(1e3 * coalesce(j."training.step.duration", j.step_time_s, j.step_time_seconds, j.step_duration_s, j.iteration_time_s, j.seconds_per_step),
      j.step_time_ms, j.step_duration_ms, j.iteration_time_ms, j.duration_ms, j.elapsed_ms) as duration_ms,
    -- NaN or infinite: false. What is no number is unknown.
    isfinite(try_cast(coalesce(j."training.loss", j.loss, j.train_loss, j.lm_loss, j."lm loss", j."train/loss") as double)) as has_finite_loss
  from stated
  where (is_training and not is_evaluation) or j."training.done"
)
