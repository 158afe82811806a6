-- Spans with every word of the text in their name, or the service beside it, how often they occur, and the slowest of each.
-- $1: text; $2: most.
with given as (
  select list_filter(string_split(lower($1::varchar), ' '), lambda word: word <> '') as words
), wanted as (
  select name_id, text from name, given where len(list_filter(words, lambda word: contains(lower(text), word))) > 0
),
slowest as (
  select s.name, s.service, count(*) as spans,
    arg_max({hi: s.trace_hi, lo: s.trace_lo, id: s.span_id, start: s.start_ns + src.clock_offset_ns, ms: (s.end_ns - s.start_ns) / 1e6}, s.end_ns - s.start_ns) as worst
  from span s
  join source src using (source_id)
  where s.name in (select name_id from wanted)
  group by s.name, s.service
)
select 'span:' || printf('%016x%016x', worst.hi, worst.lo) || '/' || printf('%016x', worst.id) as ref,
  worst.start as time_ns, worst.ms as duration_ms, w.text as name, coalesce(e.id, '') as service, spans::double as spans
from given, slowest
join wanted w on w.name_id = slowest.name
left join entity e on e.entity_id = slowest.service
where list_bool_and(list_transform(words, lambda word: contains(lower(concat_ws(' ', w.text, e.id)), word)))
order by spans desc, name, service
limit $2::integer
