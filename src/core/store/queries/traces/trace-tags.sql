-- Attributes of spans and of their resources, with how many spans have them. $1, $2: window, nanoseconds on the case's clock; $3: a
-- power of two, one span of so many is read; $4: attributes at most. scope: 'span', 'resource'.
with sample as materialized (
  select s.attributes, s.resource
  from span s
  join source src using (source_id)
  where s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns and hash(s.span_id) & ($3 - 1)::ubigint = 0
),
key as (
  select 'span' as scope, unnest(json_keys(attributes)) as name, 1 as spans from sample where attributes is not null
  union all
  select 'resource', unnest(json_keys(r.attributes)), n
  from (select resource, count(*) as n from sample where resource is not null group by resource)
  join resource r on r.resource_id = resource
)
select scope, name, sum(spans)::double as spans from key group by scope, name order by spans desc, name limit $4::bigint
