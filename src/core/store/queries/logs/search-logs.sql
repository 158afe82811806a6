-- Log records whose body has every word of the text in it, the first ones. $1: text; $2: most.
with given as (
  select list_filter(string_split(lower($1::varchar), ' '), lambda word: word <> '') as words
)
select 'log:' || l.source_id || '/' || l.rowid as ref, l.time_ns + s.clock_offset_ns as time_ns, left(l.body, 300) as body
from log l
join source s using (source_id), given
-- One word first: most records have not even that.
where contains(lower(l.body), words[1]) and list_bool_and(list_transform(words, lambda word: contains(lower(l.body), word)))
order by l.time_ns
limit $2::integer
