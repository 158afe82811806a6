-- Model of each GPU from resources and series, under one of these attribute names.
with stated as (
  select r.entity, r.attributes from resource r
  union all select s.entity, s.attributes from series s
  union all select e.entity_id, e.attributes from entity e
)
select c.canonical_id as entity,
  min(coalesce(
    json_extract_string(stated.attributes, '$."hw.model"'), json_extract_string(stated.attributes, '$."gpu.model"'),
    json_extract_string(stated.attributes, '$.modelName'), json_extract_string(stated.attributes, '$.gpu_model'),
    json_extract_string(stated.attributes, '$.model')
  )) as model
from stated
join entity e on e.entity_id = stated.entity
join canonical c on c.entity_id = e.entity_id
where e.kind = 'gpu' and stated.attributes is not null
group by c.canonical_id
having model is not null
order by entity
