-- How long stages of requests of services took within a time: per service, stage and request the sum of its spans, or what attributes of
-- its spans state. $1, $2: the time; $3: list of canonical services; $4: JSON list of {stage, words}, regular expressions of names of
-- spans, in lower case; $5: JSON list of {stage, name, factor}, attributes in whatever unit, with the factor to seconds; $6: hex id of
-- the one trace that counts, '': all; $7: one trace of so many is read, a power of two.
with known as (
  select unnest(json_transform($4::varchar::json, '[{"stage": "VARCHAR", "words": "VARCHAR"}]'), recursive := true)
),
stated as (
  select unnest(json_transform($5::varchar::json, '[{"stage": "VARCHAR", "name": "VARCHAR", "factor": "DOUBLE"}]'), recursive := true)
),
meant as (
  select n.name_id, k.stage
  from name n
  join known k on regexp_matches(lower(n.text), k.words)
),
around as (
  select c.canonical_id as service, s.trace_hi, s.trace_lo, s.name, s.attributes, greatest(s.end_ns - s.start_ns, 0) / 1e9 as seconds
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where c.canonical_id in (select unnest($3::integer[])) and s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
    and (s.trace_lo & ($7::bigint - 1)::ubigint) = 0
    and ($6 = '' or (s.trace_hi = trace_hi_of($6) and s.trace_lo = trace_lo_of($6)))
),
part as (
  select a.service, a.trace_hi, a.trace_lo, m.stage, a.seconds, 0 as is_stated
  from around a
  join meant m on m.name_id = a.name
  union all
  select a.service, a.trace_hi, a.trace_lo, t.stage, try_cast(json_extract_string(a.attributes, '$."' || t.name || '"') as double) * t.factor, 1
  from around a
  join stated t on contains(a.attributes, '"' || t.name || '"')
  where json_valid(a.attributes)
),
-- A request has spans of a stage, or states it: not both count.
request as (
  select service, stage, trace_hi, trace_lo, sum(seconds) as seconds
  from (from part where seconds between 0 and 1e7 qualify is_stated = min(is_stated) over (partition by service, stage, trace_hi, trace_lo))
  group by all
)
select r.service, e.id as name, r.stage, count(*)::double as requests, median(r.seconds) as middle_s, quantile_cont(r.seconds, 0.99) as p99_s
from request r
join entity e on e.entity_id = r.service
group by r.service, e.id, r.stage
order by r.service, r.stage
