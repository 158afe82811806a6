-- How long stages of requests of services took within a time: per service, stage, tool and request the sum of its spans, or what attributes of
-- its spans state. $1, $2: the time; $3: list of canonical services; $4: JSON list of {stage, words}, regular expressions of names of
-- spans, in lower case; $5: JSON list of {stage, name, factor}, attributes in whatever unit, with the factor to seconds; $6: hex id of
-- the one trace that counts, '': all; $7: one trace of so many is read, a power of two. $8: JSON
-- list of {stage, name, value}, attributes that state what a span is; $9: attributes that name a tool, joined by commas; $10: JSON list of
-- {words, needsServing}, names of events that come with a piece of an answer, in lower case; $11: a regular expression of attributes of
-- requests for a model. All until the first piece is a stage where nothing states its parts.
with known as (
  select unnest(json_transform($4::varchar::json, '[{"stage": "VARCHAR", "words": "VARCHAR"}]'), recursive := true)
),
stated as (
  select unnest(json_transform($5::varchar::json, '[{"stage": "VARCHAR", "name": "VARCHAR", "factor": "DOUBLE"}]'), recursive := true)
),
kind as (
  select unnest(json_transform($8::varchar::json, '[{"stage": "VARCHAR", "name": "VARCHAR", "value": "VARCHAR"}]'), recursive := true)
),
piece as (
  select n.name_id, bool_and(k.needsServing) as needs_serving
  from name n
  join (
    select unnest(json_transform($10::varchar::json, '[{"words": "VARCHAR", "needsServing": "BOOLEAN"}]'), recursive := true)
  ) k on regexp_matches(lower(n.text), k.words)
  group by n.name_id
),
meant as (
  select n.name_id, k.stage
  from name n
  join known k on regexp_matches(lower(n.text), k.words)
),
around as (
  select c.canonical_id as service, s.source_id, s.trace_hi, s.trace_lo, s.span_id, s.parent_id, s.start_ns, s.name, s.attributes, greatest(s.end_ns - s.start_ns, 0) / 1e9 as seconds
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where c.canonical_id in (select unnest($3::integer[])) and s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
    and (s.trace_lo & ($7::bigint - 1)::ubigint) = 0
    and ($6 = '' or (s.trace_hi = trace_hi_of($6) and s.trace_lo = trace_lo_of($6)))
),
-- What its attributes state goes before its name.
known_span as (
  select a.*, k.stage, 0 as by_name
  from around a
  join kind k on contains(a.attributes, '"' || k.name || '"')
  where json_valid(a.attributes) and lower(json_extract_string(a.attributes, '$."' || k.name || '"')) = k.value
  union all
  select a.*, m.stage, 1
  from around a
  join meant m on m.name_id = a.name
),
one_stage as (
  from known_span qualify row_number() over (partition by trace_hi, trace_lo, span_id order by by_name, stage) = 1
),
answer as (
  select a.service, a.trace_hi, a.trace_lo, a.span_id, a.parent_id, (min(e.time_ns) - a.start_ns) / 1e9 as seconds
  from around a
  join span_event e on e.source_id = a.source_id and e.trace_hi = a.trace_hi and e.trace_lo = a.trace_lo and e.span_id = a.span_id
  join piece p on p.name_id = e.name
  where not p.needs_serving or regexp_matches(coalesce(a.attributes, ''), $11)
  group by a.service, a.trace_hi, a.trace_lo, a.span_id, a.parent_id, a.start_ns
),
stated_part as (
  select a.service, a.trace_hi, a.trace_lo, a.span_id, a.parent_id, t.stage,
    try_cast(json_extract_string(a.attributes, '$."' || t.name || '"') as double) * t.factor as seconds
  from around a
  join stated t on contains(a.attributes, '"' || t.name || '"')
  where json_valid(a.attributes)
),
first_piece as (
  select service, trace_hi, trace_lo, span_id, parent_id, min(seconds) as seconds, 1 as is_stated
  from stated_part
  where stage = 'first_token' and seconds is not null
  group by service, trace_hi, trace_lo, span_id, parent_id
  union all
  select service, trace_hi, trace_lo, span_id, parent_id, seconds, 0 from answer
),
part as (
  select a.service, a.trace_hi, a.trace_lo, a.stage,
    case when a.stage = 'tool' then left(coalesce(
      case when json_valid(a.attributes) then list_any_value(list_transform(
        string_split($9::varchar, ','), lambda name: nullif(json_extract_string(a.attributes, '$."' || name || '"'), ''))) end,
      regexp_replace(n.text, '(?i)^execute[ _.-]tool[ _.-]*', '')), 200) else '' end as tool,
    a.seconds, 0 as is_stated
  from one_stage a
  join name n on n.name_id = a.name
  union all
  select service, trace_hi, trace_lo, stage, '', seconds, 1 from stated_part where stage <> 'first_token'
  union all
  -- One call may have a span within that of its client, and both state it.
  select o.service, o.trace_hi, o.trace_lo, 'first_token', '', o.seconds, o.is_stated
  from first_piece o
  where not exists (
    from first_piece i
    where i.service = o.service and i.trace_hi = o.trace_hi and i.trace_lo = o.trace_lo and i.span_id = o.parent_id and i.is_stated = o.is_stated)
),
-- A request has spans of a stage, or states it: not both count.
request as (
  select service, stage, tool, trace_hi, trace_lo, sum(seconds) as seconds
  from (from part where seconds between 0 and 1e7 qualify is_stated = min(is_stated) over (partition by service, stage, trace_hi, trace_lo))
  group by all
),
shown as (
  from request
  qualify stage <> 'first_token' or not bool_or(stage in ('queue', 'prefill')) over (partition by service, trace_hi, trace_lo)
)
select r.service, e.id as name, r.stage, r.tool, count(*)::double as requests, median(r.seconds) as middle_s, quantile_cont(r.seconds, 0.99) as p99_s
from shown r
join entity e on e.entity_id = r.service
group by r.service, e.id, r.stage, r.tool
order by r.service, r.stage, r.tool
