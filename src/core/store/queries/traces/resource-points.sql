-- Samples of entities around a time; `stated` is what labels and the resource of a series name, each as JSON text. $1, $2: the time; $3: list of canonical entities; $4: list of metrics; $5: rows at most.
select c.canonical_id as entity, s.metric, s.unit, s.series_id as series,
  concat_ws(' ', s.attributes, r.attributes) as stated, p.time_ns + src.clock_offset_ns as time_ns, p.value
from series s
join canonical c on c.entity_id = s.entity
join point p on p.series = s.series_id
join source src on src.source_id = p.source_id
left join resource r on r.resource_id = s.resource
where c.canonical_id in (select unnest($3::integer[])) and s.metric in (select unnest($4::varchar[]))
  and p.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns and isfinite(p.value)
order by s.series_id, p.time_ns
limit $5::bigint
