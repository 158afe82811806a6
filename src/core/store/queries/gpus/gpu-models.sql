-- Model of each GPU from resources and series, under one of these attribute names.
with said as (
  select r.entity, r.attributes from resource r
  union all select s.entity, s.attributes from series s
  union all select e.entity_id, e.attributes from entity e
)
select c.canonical_id as entity,
  min(coalesce(
    json_extract_string(said.attributes, '$."hw.model"'), json_extract_string(said.attributes, '$."gpu.model"'),
    json_extract_string(said.attributes, '$.modelName'), json_extract_string(said.attributes, '$.gpu_model'),
    json_extract_string(said.attributes, '$.model')
  )) as model
from said
join entity e on e.entity_id = said.entity
join canonical c on c.entity_id = e.entity_id
where e.kind = 'gpu' and said.attributes is not null
group by c.canonical_id
having model is not null
order by entity
