-- By metrics: ranks that wait least. For each group of ranks and slice of time how long its ranks waited in a collective on
-- average, and which waited least, with what it waited. Of histograms and summaries of waits or durations with the attribute
-- `rank`, in units of time; where there are waits of a group, its durations are left out, which hold them. A rank that comes last
-- waits least. Messages between two ranks have no last one. $1: shortest slice in ns; longer where exports are rarer.
with known as (
  select s.series_id, coalesce(c.canonical_id, s.entity) as entity, s.metric, s.temporality, case when json_valid(s.attributes) then s.attributes end as stated,
    case s.unit when 's' then 1e9 when 'ms' then 1e6 when 'us' then 1e3 when 'ns' then 1 end as unit_ns,
    contains(s.metric, 'wait') as is_wait
  from series s
  left join canonical c on c.entity_id = s.entity
  where s.kind in ('histogram', 'exponential_histogram', 'summary') and regexp_matches(lower(s.metric), 'nccl|rccl|collective')
    and regexp_matches(lower(s.metric), 'wait|duration|latency|time')
),
of_rank as (
  select *, (stated->>'$.rank') as rank,
    list_sort(list_filter(
      map_entries(json_transform(stated, '"MAP(VARCHAR, VARCHAR)"')), one -> one.key not in ('rank', 'gpu.uuid', 'pid')))::varchar as own_group,
    coalesce(stated->>'$.comm_id_hash', stated->>'$.comm', stated->>'$.group', '') as group_name
  from known
  where unit_ns is not null and (stated->>'$.rank') is not null and (stated->>'$."nccl.peer_rank"') is null
),
wanted as (
  select *, own_group || case when is_wait then ' w' else ' d' end as group_id
  from of_rank
  qualify is_wait or not bool_or(is_wait) over (partition by own_group)
),
grown as (
  select w.series_id, w.entity, w.rank, w.group_id, w.group_name, w.metric, w.is_wait, d.time_ns + src.clock_offset_ns as time_ns,
    d.time_ns - lag(d.time_ns) over own as step_ns,
    case when w.temporality = 1 then d.count else d.count - lag(d.count) over own end as operations,
    case when w.temporality = 1 then d.sum else d.sum - lag(d.sum) over own end * w.unit_ns as wait_ns
  from distribution d
  join source src on src.source_id = d.source_id
  join wanted w on w.series_id = d.series
  where isfinite(d.count) and isfinite(d.sum)
  window own as (partition by d.series order by d.time_ns)
),
paced as (select greatest($1::bigint, coalesce((select median(step_ns) from grown where step_ns > 0), 0)::bigint) as slice_ns),
level as (
  select group_id, group_name, metric, is_wait, rank, time_ns // slice_ns as slice, any_value(slice_ns) as slice_ns,
    any_value(entity) as entity, any_value(series_id) as series_id, max(time_ns) as sample_ns,
    sum(operations) as operations, sum(wait_ns) / sum(operations) as mean_ns
  from grown, paced
  where operations > 0 and wait_ns >= 0
  group by group_id, group_name, metric, is_wait, rank, time_ns // slice_ns
)
select group_id, group_name, metric, is_wait, slice, any_value(slice_ns) as slice_ns, count(*)::integer as ranks, median(operations)::double as operations,
  median(mean_ns)::double as usual_ns, min(mean_ns)::double as least_ns, arg_min(rank, (mean_ns, rank)) as last_rank,
  arg_min(entity, (mean_ns, rank)) as entity, arg_min(series_id, (mean_ns, rank)) as series_id,
  arg_min(sample_ns, (mean_ns, rank)) as sample_ns
from level
group by group_id, group_name, metric, is_wait, slice
having count(*) > 1 and count(*) = count(distinct rank)
order by group_id, metric, slice
