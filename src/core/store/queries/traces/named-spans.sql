-- Spans by their names with the processes that they are of, in order of time. What separates processes of one service is
-- as in load-slices.sql. $1: regular expression, case does not matter; $2: most.
with meant as (select name_id, text from name where regexp_matches(text, $1::varchar, 'i')),
seen as (
  select s.*, m.text, s.start_ns + src.clock_offset_ns as from_ns, s.end_ns + src.clock_offset_ns as to_ns,
    'span:' || printf('%016x%016x', s.trace_hi, s.trace_lo) || '/' || printf('%016x', s.span_id) as ref,
    case when regexp_matches(s.attributes, 'rank"|"slurm\.') and json_valid(s.attributes) then s.attributes end as stated
  from span s
  join meant m on m.name_id = s.name
  join source src using (source_id)
  order by from_ns, to_ns, m.text, ref
  limit $2::bigint
),
carrier as (
  select resource_id, case when json_valid(attributes) then attributes end as stated
  from resource
  where resource_id in (select distinct resource from seen)
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
stated_of as (
  select s.ref, coalesce(c.canonical_id, -1) as entity, coalesce(r.job, '') as job,
    case when e.kind in ('rank', 'process') then ''
      else coalesce(s.stated->>'$."gen_ai.training.rank"', s.stated->>'$."nccl.rank"', s.stated->>'$."torch.distributed.rank"',
        s.stated->>'$."training.rank"', s.stated->>'$."slurm.procid"', s.stated->>'$.rank', r.rank, '') end as rank,
    case when e.kind in ('rank', 'process') then '' else coalesce(r.place, '') end as place,
    s.text as name, s.from_ns as start_ns, s.to_ns as end_ns, s.status = 2 as failed
  from seen s
  left join carried r on r.resource_id = s.resource
  left join canonical c on c.entity_id = s.service
  left join entity e on e.entity_id = c.canonical_id
)
select ref, entity, job, rank, case when rank = '' then place else '' end as place, name, start_ns, end_ns, failed
from stated_of
order by start_ns, end_ns, name, ref
