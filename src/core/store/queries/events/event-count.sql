-- Number of recorded events. $1: types that do not count, comma separated.
select count(*)::integer as n
from event v
where v.type not in (select name_id from name where text in (select unnest(string_split($1::varchar, ','))))
