-- What codes stand for: names and services. $1, $2: JSON lists of numbers.
select 'name' as kind, name_id as code, text as word from name where name_id in (select unnest(from_json($1, '["INTEGER"]')))
union all
select 'service', entity_id, id from entity where entity_id in (select unnest(from_json($2, '["INTEGER"]')))
