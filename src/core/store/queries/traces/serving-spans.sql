-- What spans state of the requests that a service serves with a model, by slices of time: of all together (`replica` is null) and
-- of each replica. An attribute has its meaning from $1; the first of several that mean the same counts. `duration` is of spans
-- that name a model. `total` adds up, `high` is the largest.
-- $1: JSON list of {name, quantity, factor}, by preference; $2: a regular expression of attributes to be read; $3: length of a
-- slice, nanoseconds; $4: a power of two, one trace of so many is read; $5: rows at most, those of replicas last.
with known as (
  select e->>'$.name' as name, e->>'$.quantity' as quantity, (e->>'$.factor')::double as factor, row_number() over () as rank
  from (select unnest(from_json($1::varchar, '["json"]')) as e)
),
seen as materialized (
  select row_number() over () as row, c.canonical_id as service, s.resource, s.trace_hi, s.trace_lo, s.span_id, s.attributes,
    s.start_ns + src.clock_offset_ns as start_ns, greatest(0, s.end_ns - s.start_ns) / 1e9 as duration
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where regexp_matches(s.attributes, $2::varchar) and json_valid(s.attributes)
    and xor(s.trace_hi, s.trace_lo) & ($4::ubigint - 1) = 0
),
stated as (
  select row, unnest(map_entries(json_transform(attributes, '"MAP(VARCHAR, VARCHAR)"'))) as e from seen
),
meant as materialized (
  select row, quantity, arg_min(e.value, rank) as text, arg_min(factor, rank) as factor
  from stated
  join known on known.name = e.key
  group by row, quantity
),
modelled as (select row, left(text, 200) as model from meant where quantity = 'model'),
reading as (
  select row, quantity, factor * case text when 'true' then 1 when 'false' then 0 else try_cast(text as double) end as value
  from meant
  where quantity <> 'model'
  union all
  select row, 'duration', duration from seen semi join modelled using (row)
),
instance as (
  select resource_id, left(coalesce(attributes ->> '$."k8s.pod.name"', attributes ->> '$."service.instance.id"', attributes ->> '$."host.name"', ''), 200) as id
  from resource
  where json_valid(attributes)
)
select s.service, case when grouping(coalesce(i.id, '')) = 0 then coalesce(i.id, '') end as replica, case when count(distinct m.model) = 1 then any_value(m.model) end as model,
  s.start_ns // $3::bigint as slice, r.quantity, count(*)::double as readings, avg(r.value) as mean, sum(r.value) as total,
  max(r.value) as high,
  arg_max('span:' || printf('%016x%016x', s.trace_hi, s.trace_lo) || '/' || printf('%016x', s.span_id), s.duration) as ref
from reading r
join seen s using (row)
left join modelled m using (row)
left join instance i on i.resource_id = s.resource
where isfinite(r.value) and r.value >= 0
group by grouping sets ((s.service, s.start_ns // $3::bigint, r.quantity), (s.service, coalesce(i.id, ''), s.start_ns // $3::bigint, r.quantity))
order by replica is not null, s.service, slice, r.quantity, replica
limit $5::bigint
