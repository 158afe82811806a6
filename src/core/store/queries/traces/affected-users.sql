-- Different users among the spans of a service in a time: $1 its canonical entity, $2, $3 the time on the case's clock.
-- NULL users: no span names one, which is unknown and not zero.
select nullif(count(distinct coalesce(
    json_extract_string(s.attributes, '$."enduser.id"'), json_extract_string(s.attributes, '$."user.id"'),
    json_extract_string(s.attributes, '$."enduser.pseudo.id"')
  )), 0)::integer as users
from span s
join source src on src.source_id = s.source_id
join canonical c on c.entity_id = s.service
where c.canonical_id = $1
  and s.start_ns + src.clock_offset_ns between $2 and $3
  and s.attributes like '%user.%id%'
