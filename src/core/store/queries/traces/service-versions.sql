-- When each version of a service was first and last seen among its spans, if the resource has a version. `ref`: the first span.
with reported as (
  select r.resource_id, c.canonical_id as service, json_extract_string(r.attributes, '$."service.version"') as version
  from resource r
  join canonical c on c.entity_id = r.entity
)
select t.service, t.version, min(s.start_ns + src.clock_offset_ns) as first_ns, max(s.start_ns + src.clock_offset_ns) as last_ns,
  'span:' || printf('%016x%016x', arg_min(s.trace_hi, s.start_ns), arg_min(s.trace_lo, s.start_ns)) || '/' || printf('%016x', arg_min(s.span_id, s.start_ns)) as ref
from span s
join reported t on t.resource_id = s.resource
join source src using (source_id)
where t.version is not null and t.version <> ''
group by t.service, t.version
order by t.service, first_ns, t.version
