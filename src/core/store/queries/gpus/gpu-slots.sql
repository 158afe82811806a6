-- Number of each GPU in its machine, where a source states one.
select c.canonical_id as entity, min(regexp_extract(a.name, '/gpu(\d+)$', 1)::integer) as slot
from alias a
join canonical c using (entity_id)
where a.kind = 'gpu_index' and regexp_matches(a.name, '/gpu\d{1,4}$')
group by all
order by entity
