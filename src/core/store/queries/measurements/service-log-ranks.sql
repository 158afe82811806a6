-- After training-lines.sql, before step-figures.sql: the steps of each rank or process of a job, as far as its log states what they took:
-- between its lines all ranks wait for the slowest one. $2: fewest such steps of a process; $3: processes of a job, at most: the one
-- with the most steps, and those whose steps differ most.
, member as (
  select l.service, l.time_ns, l.first_ns, l.duration_ms,
    -- As ranks are named, but for their job.
    case when l.rank <> '' then 'rank-' || l.rank when not l.is_shared then parse_filename(e.id) when l.place <> '' then l.place end as name
  from line l
  join entity e on e.entity_id = l.entity
  where l.service is not null and l.step is not null and l.duration_ms > 0 and isfinite(l.duration_ms)
),
chosen as (
  select service, name
  from (
    select service, name, count(*) as steps, quantile_cont(duration_ms, 0.9) / quantile_cont(duration_ms, 0.1) as spread
    from member
    where name is not null
    group by service, name
    having count(*) >= $2::bigint
  )
  qualify row_number() over (partition by service order by steps desc, name) = 1 or row_number() over (partition by service order by spread desc, name) < $3::bigint
),
spaced as (
  select m.service, m.name, m.time_ns, m.first_ns, m.duration_ms as took_ms, 1 as steps
  from member m
  join chosen using (service, name)
),
until as (select null::integer as service, null::bigint as last_ns where false)
