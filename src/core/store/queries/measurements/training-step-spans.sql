-- Spans of training steps that state the number of their step, as rows like those of training-lines.sql, which they follow; a job
-- whose log states its steps is read from there alone. Where no rank is stated, the machine separates the processes of a job.
-- $2: names of such spans, a regular expression; case does not matter.
, step_span as (
  select c.canonical_id as service, s.resource, s.source_id, src.clock_offset_ns as offset_ns, s.end_ns + src.clock_offset_ns as time_ns,
    unnest([json_transform(s.attributes, '{
      "gen_ai.training.step": "DOUBLE", "training.step": "DOUBLE", "train.step": "DOUBLE", "global_step": "DOUBLE", "step": "DOUBLE", "step_number": "DOUBLE",
      "step.number": "DOUBLE", "iteration": "DOUBLE", "iter": "DOUBLE", "training.loss": "VARCHAR", "loss": "VARCHAR", "train_loss": "VARCHAR",
      "gen_ai.training.rank": "VARCHAR", "training.rank": "VARCHAR", "torch.distributed.rank": "VARCHAR", "rank": "VARCHAR"
    }')]) as j
  from span s
  join name n on n.name_id = s.name
  join source src on src.source_id = s.source_id
  join canonical c on c.entity_id = s.service
  where regexp_matches(n.text, $2::varchar, 'i') and json_valid(s.attributes) and (contains(s.attributes, 'step') or contains(s.attributes, 'iter'))
    and c.canonical_id not in (select service from line where service is not null and step is not null)
),
step_writer as (
  select resource_id, coalesce(stated."gen_ai.training.rank", stated."training.rank", stated."torch.distributed.rank", stated.rank,
    concat_ws('/', stated."k8s.pod.name", stated."host.name")) as rank
  from (
    select resource_id, unnest([json_transform(attributes, '{
      "gen_ai.training.rank": "VARCHAR", "training.rank": "VARCHAR", "torch.distributed.rank": "VARCHAR", "rank": "VARCHAR",
      "k8s.pod.name": "VARCHAR", "host.name": "VARCHAR"
    }')]) as stated
    from resource
    where resource_id in (select resource from step_span) and json_valid(attributes)
  )
),
step_line as materialized (
  select service, resource, rank, source_id, offset_ns, time_ns, step, has_finite_loss, 'log' as kept_in from line
  union all
  select s.service, s.resource, coalesce(j."gen_ai.training.rank", j."training.rank", j."torch.distributed.rank", j.rank, w.rank, ''), s.source_id, s.offset_ns, s.time_ns,
    coalesce(j."gen_ai.training.step", j."training.step", j."train.step", j.global_step, j.step, j.step_number, j."step.number", j.iteration, j.iter),
    isfinite(try_cast(coalesce(j."training.loss", j.loss, j.train_loss) as double)), 'span'
  from step_span s
  left join step_writer w on w.resource_id = s.resource
)
