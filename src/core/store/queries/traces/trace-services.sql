-- The services of one trace: times of their spans, and their token counts. $1: trace id as hex. Found by the directory
-- as in trace-select.sql. Callers and callees may report the same tokens, and so may a span and what it contains: of a service
-- count the spans by which it is entered; if none of these has any, the outermost others within it; and where none does, the
-- callers, whose tokens are those of the services that they reach first.
with recursive found as (
  select c.canonical_id as service, s.span_id, s.parent_id, s.kind, s.start_ns + src.clock_offset_ns as start_ns,
    greatest(s.end_ns, s.start_ns) + src.clock_offset_ns as end_ns,
    case when s.attributes like '%gen_ai.usage.%' then s.attributes end as reported
  from trace_place p
  join main.span s on s.source_id = p.source_id
    and s.start_ns >= p.slice::bigint * 17179869184 and s.start_ns <= p.slice::bigint * 17179869184 + 17179869183
  join source src on src.source_id = s.source_id
  join canonical c on c.entity_id = s.service
  where p.key = xor(trace_hi_of($1), trace_lo_of($1)) & 68719476735
    and s.trace_hi = trace_hi_of($1) and s.trace_lo = trace_lo_of($1)
),
usage as (
  select service, span_id, parent_id, kind,
    coalesce(
      try_cast(json_extract_string(reported, '$."gen_ai.usage.input_tokens"') as double),
      try_cast(json_extract_string(reported, '$."gen_ai.usage.prompt_tokens"') as double)
    ) as input,
    coalesce(
      try_cast(json_extract_string(reported, '$."gen_ai.usage.output_tokens"') as double),
      try_cast(json_extract_string(reported, '$."gen_ai.usage.completion_tokens"') as double)
    ) as output
  from found
  where reported is not null
),
outermost as (
  from usage u
  where (input >= 0 or output >= 0) and not exists (
    from usage above where above.span_id = u.parent_id and above.span_id <> u.span_id and above.service = u.service
  )
),
-- What a caller's call went through within the caller.
called as (
  select span_id as teller, service, span_id as at_span from outermost where kind = 3
  union
  select called.teller, called.service, f.span_id
  from called
  join found f on f.parent_id = called.at_span and f.service = called.service
),
standing as (
  select u.service, u.input, u.output,
    case when coalesce(parent.service, -1) <> u.service or u.kind in (2, 5) then 2 else 1 end as standing
  from outermost u
  left join found parent on parent.span_id = u.parent_id and parent.span_id <> u.span_id
  where u.kind <> 3
  union all
  select reached.service, u.input, u.output, 0
  from (
    select distinct called.teller, f.service
    from called
    join found f on f.parent_id = called.at_span and f.service <> called.service
  ) reached
  join outermost u on u.span_id = reached.teller
),
tokens as (
  select service, sum(input) as input_tokens, sum(output) as output_tokens
  from (from standing qualify standing = max(standing) over (partition by service))
  group by service
)
select f.service, e.id as name, min(f.start_ns) as start_ns, max(f.end_ns) as end_ns, any_value(t.input_tokens) as input_tokens,
  any_value(t.output_tokens) as output_tokens
from found f
join entity e on e.entity_id = f.service
left join tokens t on t.service = f.service
group by f.service, e.id
order by f.service
