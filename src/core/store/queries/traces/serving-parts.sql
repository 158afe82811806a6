-- How long requests for models took, by slices of time and by part of them: model, route or tenant. Of many parts of a kind, those
-- with most requests.
-- $1: JSON list of {name, part}, by preference; $2: a regular expression of attributes to be read; $3: length of a slice,
-- nanoseconds; $4: a power of two, one trace of so many is read; $5: parts of a kind and service, at most; $6: rows at most.
with known as (
  select *, row_number() over () as rank
  from (select unnest(json_transform($1::varchar::json, '[{"name": "VARCHAR", "part": "VARCHAR"}]'), recursive := true))
),
seen as (
  select row_number() over () as row, c.canonical_id as service, (s.start_ns + src.clock_offset_ns) // $3::bigint as slice,
    greatest(0, s.end_ns - s.start_ns) / 1e9 as duration, {'hi': s.trace_hi, 'lo': s.trace_lo, 'span': s.span_id} as span,
    map_entries(json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"')) as entries
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where regexp_matches(s.attributes, $2::varchar) and json_valid(s.attributes)
    and xor(s.trace_hi, s.trace_lo) & ($4::ubigint - 1) = 0
),
stated as (select * exclude (entries), unnest(entries) as entry from seen),
parted as (
  select service, row, part, arg_min(left(entry.value, 200), rank) as name, any_value(slice) as slice, any_value(duration) as duration,
    any_value(span) as span
  from stated
  join known on known.name = entry.key
  where entry.value <> ''
  group by service, row, part
),
frequent as (
  select service, part, name
  from parted
  group by service, part, name
  qualify row_number() over (partition by service, part order by count(*) desc, name) <= $5::bigint and count(*) over (partition by service, part) > 1
),
figures as (
  select service, part, name, slice, count(*)::double as readings, avg(duration) as mean, arg_max(span, duration) as span
  from parted
  semi join frequent using (service, part, name)
  group by service, part, name, slice
)
select * exclude (span), 'span:' || printf('%016x%016x', span.hi, span.lo) || '/' || printf('%016x', span.span) as ref
from figures
order by service, part, name, slice
limit $6::bigint
