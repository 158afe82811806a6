-- The spans of one trace that bear pieces of answers, their parents, and those that state the time to the first piece.
-- $1: trace id as hex, found by the directory as in trace-select.sql; $2: list of span ids; $3: JSON list of {name, factor} of
-- attributes that state that time; $4: a regular expression of names of stages; $5: one of attributes of requests for a model; $6: JSON
-- list of attributes that count tokens of the answer, by preference; $7: most spans.
with found as materialized (
  select s.*, src.clock_offset_ns
  from trace_place p
  join main.span s on s.source_id = p.source_id
    and s.start_ns >= p.slice::bigint * 17179869184 and s.start_ns <= p.slice::bigint * 17179869184 + 17179869183
  join source src on src.source_id = s.source_id
  where p.key = xor(trace_hi_of($1), trace_lo_of($1)) & 68719476735
    and s.trace_hi = trace_hi_of($1) and s.trace_lo = trace_lo_of($1)
),
bearer as (select unnest($2::ubigint[]) as span_id),
known as (
  select unnest(json_transform($3::varchar::json, '[{"name": "VARCHAR", "factor": "DOUBLE"}]'), recursive := true)
),
stated as (
  select f.span_id, min(try_cast(json_extract_string(f.attributes, '$."' || k.name || '"') as double) * k.factor) as first_s
  from found f
  join known k on contains(f.attributes, '"' || k.name || '"')
  where json_valid(f.attributes)
  group by f.span_id
),
counter as (select unnest(json_transform($6::varchar::json, '["VARCHAR"]')) as name),
counted as (
  select f.span_id, max(try_cast(json_extract_string(f.attributes, '$."' || c.name || '"') as double)) as output_tokens
  from found f
  join counter c on contains(f.attributes, '"' || c.name || '"')
  where json_valid(f.attributes)
  group by f.span_id
),
wanted as (
  select span_id from bearer
  union
  select f.parent_id from found f join bearer using (span_id)
  union
  select span_id from stated where first_s is not null
)
select f.span_id, f.parent_id, e.id as service, n.text as name, f.start_ns + f.clock_offset_ns as start_ns,
  greatest(f.end_ns, f.start_ns) + f.clock_offset_ns as end_ns, regexp_matches(lower(coalesce(n.text, '')), $4) as is_stage,
  regexp_matches(coalesce(f.attributes, ''), $5) as is_serving, s.first_s, c.output_tokens
from found f
join wanted using (span_id)
left join stated s using (span_id)
left join counted c using (span_id)
left join name n on n.name_id = f.name
left join canonical k on k.entity_id = f.service
left join entity e on e.entity_id = k.canonical_id
order by start_ns, f.span_id
limit $7::bigint
