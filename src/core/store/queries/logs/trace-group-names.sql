-- What codes stand for: names and services. $1, $2: lists of numbers.
select 'name' as kind, name_id as code, text as word from name where name_id in (select unnest($1::integer[]))
union all
select 'service', entity_id, id from entity where entity_id in (select unnest($2::integer[]))
