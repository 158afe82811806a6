-- By metrics: who of a group of peers is unlike the others. For each group and slice of time how long the operations of its
-- members took on average, and of whom they took least (collectives) or much longer (CUDA operations). Of histograms and
-- summaries in units of time, of counters of waits, of which those between two samples are one operation, and of gauges, of which each sample is one. A rank that comes last into a collective waits least; where there are waits of a group, its
-- durations are left out, which hold them. Collectives are of ranks; messages between two of them have no last one. CUDA
-- operations are of ranks, GPUs, processes or hosts, and compared where these do about as many of them. Of two members the other
-- one is the peer: their median is halfway to the straggler itself.
-- $1: shortest slice in ns; longer where exports are rarer. $2: times of a usual member from which CUDA operations are much longer.
-- $3: JSON list of {metric, unit, means, unit_ms} as in step-series.sql, of times in collective operations of training programs; `sums`: a gauge of it only grows.
with stated_by as (
  select unnest(json_transform($3::varchar::json, '[{"metric": "VARCHAR", "unit": "VARCHAR", "means": "VARCHAR", "unit_ms": "DOUBLE", "sums": "BOOLEAN"}]'), recursive := true)
),
known as (
  select s.series_id, coalesce(c.canonical_id, s.entity) as entity, s.metric, s.temporality, e.kind as entity_kind, e.id as entity_id, case when s.kind = 'gauge' and k.sums then 'sum' else s.kind end as kind,
    case when json_valid(s.attributes) then s.attributes else '{}' end as stated, case when json_valid(r.attributes) then r.attributes end as carrier,
    coalesce(k.unit_ms * 1e6, case s.unit when 's' then 1e9 when 'seconds' then 1e9 when 'ms' then 1e6 when 'us' then 1e3 when 'ns' then 1 end) as unit_ns,
    k.metric is not null or contains(lower(s.metric), 'wait') as is_wait, regexp_matches(lower(s.metric), 'cuda|(^|[._])hip[._]') and not regexp_matches(lower(s.metric), 'nccl|rccl|collective') as is_longer
  from series s
  left join stated_by k on k.metric = s.metric and k.unit = coalesce(s.unit, '')
  left join canonical c on c.entity_id = s.entity
  left join entity e on e.entity_id = c.canonical_id
  left join resource r on r.resource_id = s.resource
  where (s.kind in ('histogram', 'exponential_histogram', 'summary')
      and regexp_matches(lower(s.metric), 'nccl|rccl|collective|cuda|(^|[._])hip[._]') and regexp_matches(lower(s.metric), 'wait|duration|latency|time'))
    or k.metric is not null
),
placed as (
  select *, coalesce(stated->>'$.rank', stated->>'$."gen_ai.training.rank"', stated->>'$.gen_ai_training_rank', carrier->>'$."gen_ai.training.rank"', carrier->>'$.rank', '') as rank,
    coalesce(stated->>'$."gpu.uuid"', stated->>'$.gpu_uuid', '') as gpu,
    coalesce(stated->>'$."host.name"', stated->>'$.hostname', carrier->>'$."host.name"', carrier->>'$."k8s.node.name"', '') as host,
    concat_ws(' ', case when entity_kind in ('gpu', 'process', 'rank', 'pod', 'server', 'node') then entity_id end,
      coalesce(stated->>'$."k8s.pod.name"', stated->>'$.pod', carrier->>'$."k8s.pod.name"'), 'GPU ' || coalesce(stated->>'$."gpu.index"', stated->>'$.gpu_index', stated->>'$.gpu'),
      'pid ' || coalesce(stated->>'$."process.pid"', stated->>'$.pid', carrier->>'$."process.pid"')) as process,
    list_sort(list_filter(
      map_entries(json_transform(stated, '"MAP(VARCHAR, VARCHAR)"')), one -> one.key not in ('rank', 'gen_ai.training.rank', 'gen_ai_training_rank', 'gpu.uuid', 'pid', 'instance', 'pod', 'node') and (not is_longer
        or not regexp_matches(one.key, '(^|[._])(rank|uuid|gpu|index|pid|host|hostname|instance|pod|node|comm|device|tid)([._]|$)'))))::varchar
      || coalesce(carrier->>'$."gen_ai.training.job_id"', carrier->>'$."training.job_id"', carrier->>'$."slurm.job.id"', carrier->>'$."k8s.job.name"', '') as own_group,
    coalesce(stated->>'$.comm_id_hash', stated->>'$.comm', stated->>'$.group', '') as group_name,
    coalesce(stated->>'$."cuda.operation"', stated->>'$.operation', stated->>'$.op', '') as operation
  from known
  where unit_ns is not null and (stated->>'$."nccl.peer_rank"') is null
),
of_member as (
  select *, case when rank <> '' then rank when gpu <> '' then gpu
      else trim(concat_ws(' ', case when host <> '' and not contains(process, host) then host end, process)) end as member
  from placed
  where is_longer or rank <> ''
),
wanted as (
  select *, own_group || case when is_wait then ' w' else ' d' end as group_id
  from of_member
  where member <> ''
  qualify is_wait or is_longer or not bool_or(is_wait) over (partition by own_group)
),
spent as (
  select source_id, series, time_ns, count, sum from distribution
  union all
  select p.source_id, p.series, p.time_ns, row_number() over (partition by p.series order by p.time_ns), p.value
  from point p
  where p.series in (select series_id from wanted where kind in ('sum', 'gauge')) and isfinite(p.value)
),
grown as (
  select w.*, d.time_ns + src.clock_offset_ns as time_ns, d.time_ns - lag(d.time_ns) over own as step_ns,
    case when w.kind in ('sum', 'gauge') then 1 when w.temporality = 1 then d.count else d.count - lag(d.count) over own end as operations,
    case when w.kind = 'gauge' or w.temporality = 1 then d.sum else d.sum - lag(d.sum) over own end * w.unit_ns as spent_ns
  from spent d
  join source src on src.source_id = d.source_id
  join wanted w on w.series_id = d.series
  where isfinite(d.count) and isfinite(d.sum)
  window own as (partition by d.series order by d.time_ns)
),
paced as (select greatest($1::bigint, coalesce((select median(step_ns) from grown where step_ns > 0), 0)::bigint) as slice_ns),
level as (
  select group_id, any_value(group_name) as group_name, metric, any_value(operation) as operation, is_wait, is_longer, member, any_value(rank) as rank,
    any_value(gpu) as gpu, any_value(host) as host, time_ns // slice_ns as slice, any_value(slice_ns) as slice_ns,
    any_value(entity) as entity, any_value(series_id) as series_id, max(time_ns) as sample_ns,
    sum(operations) as operations, sum(spent_ns) / sum(operations) as mean_ns
  from grown, paced
  where operations > 0 and spent_ns >= 0
  group by group_id, metric, is_wait, is_longer, member, time_ns // slice_ns
),
judged as (
  select *, count(*) over peers as members, median(operations) over peers as usual_operations, 
    case when count(*) over peers = 2 then sum(mean_ns) over peers - mean_ns else median(mean_ns) over peers end as usual_ns,
    row_number() over (partition by group_id, metric, slice order by case when is_longer then -mean_ns else mean_ns end, member) as place
  from level
  window peers as (partition by group_id, metric, slice)
),
ranked as (
  select *, count(*) filter (mean_ns < (1 + $2::double) / 2 * usual_ns) over (partition by group_id, metric, member) as usual_slices
  from judged
)
select group_id, group_name, metric, operation, is_wait, is_longer, slice, slice_ns, members::integer as ranks,
  case when is_longer then operations else usual_operations end::double as operations, usual_ns::double as usual_ns, mean_ns::double as own_ns,
  member, rank, gpu, host, entity, series_id, sample_ns, usual_slices::integer as usual_slices
from ranked
where members > 1
  and (place = 1 or (is_longer and mean_ns >= $2::double * usual_ns and place <= greatest(1, members // 4)))
  and (not is_longer or operations between usual_operations / 2 and usual_operations * 2)
order by group_id, metric, slice, place
