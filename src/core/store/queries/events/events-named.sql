-- Events by requested names: the record's own id, or `event:` and our number.
-- $1: names, separated by the unit separator (0x1F), which no id contains. Two joins, for one with `or` is no hash join.
with wanted as (select unnest(string_split($1::varchar, chr(31))) as name),
found as (
  select w.name, e.event_id, e.entity, e.type
  from event e join wanted w on coalesce(e.original_id, 'event-' || e.event_id) = w.name
  union
  select w.name, e.event_id, e.entity, e.type
  from event e join wanted w on e.event_id = try_cast(case when starts_with(w.name, 'event:') then substr(w.name, 7) end as integer)
)
select f.name, f.event_id, coalesce(c.canonical_id, -1) as entity, coalesce(n.text, '') as type
from found f
left join canonical c on c.entity_id = f.entity
left join name n on n.name_id = f.type
order by f.event_id, f.name
