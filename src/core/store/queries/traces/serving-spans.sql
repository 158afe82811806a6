-- What spans state of the requests that a service serves with a model, by slices of time: of all together (`replica` is null) and
-- of each replica. An attribute has its meaning from $1. `duration` is of spans that name a model; `middle` is the
-- median, `total` adds up, `high` is the largest.
-- $1: JSON list of {name, quantity, factor, matches}; $2: the attributes that name a model, by preference, joined by commas; $3: a regular
-- expression of attributes to be read; $4: length of a slice, nanoseconds; $5: a power of two, one trace of so many is read; $6:
-- rows at most, those of replicas last.
with known as (
  select * from (
    select unnest(json_transform($1::varchar::json, '[{"name": "VARCHAR", "quantity": "VARCHAR", "factor": "DOUBLE", "matches": "VARCHAR"}]'), recursive := true)
  )
  where quantity <> 'model'
),
seen as materialized (
  select c.canonical_id as service, s.resource, (s.start_ns + src.clock_offset_ns) // $4::bigint as slice,
    greatest(0, s.end_ns - s.start_ns) / 1e9 as duration, {'hi': s.trace_hi, 'lo': s.trace_lo, 'span': s.span_id} as span,
    json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"') as stated
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where regexp_matches(s.attributes, $3::varchar) and json_valid(s.attributes)
    and xor(s.trace_hi, s.trace_lo) & ($5::ubigint - 1) = 0
),
modelled as materialized (
  select * exclude (stated), map_entries(stated) as entries,
    left(list_any_value(list_transform(string_split($2::varchar, ','), lambda name: nullif(stated[name], ''))), 200) as model
  from seen
),
stated as (select * exclude (entries), unnest(entries) as entry from modelled),
-- A pattern that comes from a row is compiled for each row: so once for each different value.
matched as (
  select name, matches, value, regexp_matches(lower(value), matches)::integer as is_match
  from (
    select distinct known.name, known.matches, entry.value as value
    from stated
    join known on known.name = entry.key
    where matches <> '' and matches <> 'null'
  )
),
reading as (
  select service, resource, slice, duration, span, model, quantity,
    case
      when known.matches <> '' and known.matches <> 'null' then is_match
      else factor * case entry.value when 'true' then 1 when 'false' then 0 else try_cast(entry.value as double) end
    end as value
  from stated
  join known on known.name = entry.key
  left join matched on matched.name = known.name and matched.matches = known.matches and matched.value = entry.value
  where quantity <> 'tool_duration'
  union all
  -- Several attributes may state of one span that it is the call of a tool.
  select distinct service, resource, slice, duration, span, model, quantity, duration
  from stated
  join known on known.name = entry.key
  left join matched on matched.name = known.name and matched.matches = known.matches and matched.value = entry.value
  where quantity = 'tool_duration' and (coalesce(known.matches, '') in ('', 'null') or is_match = 1)
  union all
  select service, resource, slice, duration, span, model, 'duration', duration from modelled where model is not null
),
instance as (
  select resource_id, left(coalesce(attributes ->> '$."k8s.pod.name"', attributes ->> '$."service.instance.id"', attributes ->> '$."host.name"', ''), 200) as id
  from resource
  where json_valid(attributes)
),
figures as (
  select r.service, case when grouping(coalesce(i.id, '')) = 0 then coalesce(i.id, '') end as replica,
    case when min(r.model) = max(r.model) then min(r.model) end as model, r.slice, r.quantity, count(*)::double as readings,
    avg(r.value) as mean, median(r.value) as middle, sum(r.value) as total, max(r.value) as high, arg_max(r.span, r.duration) as span
  from reading r
  left join instance i on i.resource_id = r.resource
  where r.value between 0 and 1e15
  group by grouping sets ((r.service, r.slice, r.quantity), (r.service, coalesce(i.id, ''), r.slice, r.quantity))
)
select * exclude (span), 'span:' || printf('%016x%016x', span.hi, span.lo) || '/' || printf('%016x', span.span) as ref
from figures
order by replica is not null, service, slice, quantity, replica
limit $6::bigint
