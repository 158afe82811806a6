-- After steps-of-spans.sql, before step-figures.sql: the steps of training jobs whose spans show them, per process. A step begins with
-- what is loaded for it. A job is a loop: its processes do one step after the other, where none of them waits for others. A trace has
-- either one step or many, whereas that of an agent has a few. What is entered from elsewhere serves requests.
-- $5: fewest steps of a process. $6: processes of a job, at most: the one with the most steps, and those whose steps differ most.
, numbered_step as (
  select t.*, lag(end_ns, 1, 0) over (partition by process order by start_ns) as before_ns,
    row_number() over (partition by process order by start_ns) as number
  from took t
),
loaded as (
  select s.process, s.number, min(l.start_ns) as start_ns
  from (select n.process, l.start_ns from training l join threads n using (thread) where l.is_load) l
  asof join numbered_step s on s.process = l.process and s.start_ns >= l.start_ns
  where l.start_ns >= s.before_ns
  group by s.process, s.number
),
whole as (
  select s.process, coalesce(l.start_ns, s.start_ns) as start_ns, s.end_ns, s.before_ns
  from numbered_step s
  left join loaded l using (process, number)
),
many as (
  select process
  from (
    select n.process, trace_hi, trace_lo, count(*) as steps
    from training t
    join threads n using (thread)
    where t.is_step
    group by all
  )
  group by process
  having median(steps) = 1 or median(steps) >= $5::bigint
),
looped as (
  select w.process, count(*) as steps, quantile_cont(end_ns - start_ns, 0.9) / greatest(quantile_cont(end_ns - start_ns, 0.1), 1) as spread
  from whole w
  semi join many using (process)
  group by w.process
  having count(*) >= $5::bigint and quantile_cont(start_ns - before_ns, 0.1) filter (before_ns > 0) <= median(end_ns - start_ns)
),
entered as (
  select distinct c.canonical_id as entity
  from span s
  join canonical c on c.entity_id = s.service
  where s.kind in (2, 5) and c.canonical_id in (select p.entity from process p semi join looped using (process))
),
job_of as (
  select c.canonical_id as entity, min(j.canonical_id) as job
  from edge g
  join name k on k.name_id = g.kind and k.text = 'member_of'
  join canonical c on c.entity_id = g.from_entity
  join canonical j on j.entity_id = g.to_entity
  join entity e on e.entity_id = j.canonical_id and e.kind = 'job'
  group by c.canonical_id
),
chosen as (
  select l.process, coalesce(g.job, p.entity) as service,
    -- As ranks are named, but for their job.
    case when p.rank <> '' then 'rank-' || p.rank when p.place <> '' then p.place else parse_filename(e.id) end as name,
    row_number() over (partition by coalesce(g.job, p.entity) order by l.steps desc, l.process) as by_steps
  from looped l
  join process p using (process)
  join entity e on e.entity_id = p.entity
  left join job_of g on g.entity = p.entity
  where p.entity not in (select entity from entered)
  qualify by_steps = 1 or row_number() over (partition by coalesce(g.job, p.entity) order by l.spread desc, l.process) < $6::bigint
),
spaced as (
  select c.service, c.name, w.end_ns as time_ns, w.start_ns as first_ns, (w.end_ns - w.start_ns) / 1e6 as took_ms, 1 as steps
  from whole w
  join chosen c using (process)
),
until as (select null::integer as service, null::bigint as last_ns where false)
