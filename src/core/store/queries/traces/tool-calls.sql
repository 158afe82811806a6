-- Calls of each tool by services, by slices of time. $1: a regular expression of attributes to be read; $2: JSON list of {name, value}: attributes
-- that state of a span that it is such a call, in lower case; $3: attributes that name the tool, joined by commas, each of which states it, too;
-- $4: length of a slice, nanoseconds; $5: a power of two, one trace of so many is read; $6: rows at most. A tool without a name is called like its span.
with kind as (
  select unnest(json_transform($2::varchar::json, '[{"name": "VARCHAR", "value": "VARCHAR"}]'), recursive := true)
),
seen as (
  select c.canonical_id as service, (s.start_ns + src.clock_offset_ns) // $4::bigint as slice, greatest(0, s.end_ns - s.start_ns) / 1e9 as duration,
    s.trace_hi, s.trace_lo, s.span_id, n.text as span_name, s.attributes,
    list_any_value(list_transform(string_split($3::varchar, ','), lambda name: nullif(json_extract_string(s.attributes, '$."' || name || '"'), ''))) as named
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  left join name n on n.name_id = s.name
  where regexp_matches(s.attributes, $1::varchar) and json_valid(s.attributes) and xor(s.trace_hi, s.trace_lo) & ($5::ubigint - 1) = 0
),
call as (
  select * exclude (attributes, named, span_name), left(coalesce(named, regexp_replace(span_name, '(?i)^execute[ _.-]tool[ _.-]*', '')), 200) as tool
  from seen
  where named is not null
    or exists (from kind k where lower(json_extract_string(seen.attributes, '$."' || k.name || '"')) = k.value)
)
select service, tool, null as replica, null as model, slice, 'tool_duration' as quantity, count(*)::double as readings, avg(duration) as mean,
  median(duration) as middle, sum(duration) as total, max(duration) as high,
  'span:' || printf('%016x%016x', arg_max(trace_hi, duration), arg_max(trace_lo, duration)) || '/' || printf('%016x', arg_max(span_id, duration)) as ref
from call
where tool <> ''
group by service, tool, slice
order by service, tool, slice
limit $6::bigint
