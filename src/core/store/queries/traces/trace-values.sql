-- Values of a field of spans, the most frequent ones first. $1 to $3 as in trace-tags.sql. $4: 'name', 'service', 'message', 'scope', or the
-- scope of an attribute ('span', 'resource', 'any'); $5: its JSON pointer; $6: text in the value, '' for any; $7: values at most.
with sample as materialized (
  select s.attributes, s.resource, s.name, s.service, s.scope, s.status_message
  from span s
  join source src using (source_id)
  where s.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns and hash(s.span_id) & ($3 - 1)::ubigint = 0
),
value as (
  select n.text as value, false as is_number, count(*) as spans from sample join name n on n.name_id = sample.name where $4 = 'name' group by n.text
  union all
  select e.id, false, count(*) from sample join entity e on e.entity_id = service where $4 = 'service' group by e.id
  union all
  select n.text, false, count(*) from sample join name n on n.name_id = scope where $4 = 'scope' group by n.text
  union all
  select status_message, false, count(*) from sample where $4 = 'message' and status_message is not null group by status_message
  union all
  select json_extract_string(attributes, $5), bool_and(json_type(attributes, $5) not in ('VARCHAR', 'OBJECT', 'ARRAY')), count(*)
  from sample where $4 in ('span', 'any') and json_type(attributes, $5) is not null group by 1
  union all
  select json_extract_string(r.attributes, $5), bool_and(json_type(r.attributes, $5) not in ('VARCHAR', 'OBJECT', 'ARRAY')), sum(n)
  from (select resource, count(*) as n from sample where $4 in ('resource', 'any') group by resource)
  join resource r on r.resource_id = resource
  where json_type(r.attributes, $5) is not null group by 1
)
select value, bool_and(is_number) as is_number, sum(spans)::double as spans
from value
where value is not null and length(value) <= 200 and contains(lower(value), lower($6))
group by value
order by spans desc, value
limit $7::bigint
