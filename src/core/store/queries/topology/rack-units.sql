-- Mounting height of an entity in its rack, in rack units from below: NetBox calls it `position` (dcim.Device.position).
select c.canonical_id as entity, min(try_cast(json_extract_string(e.attributes, '$.position') as double)) as unit
from entity e
join canonical c using (entity_id)
where contains(e.attributes, '"position"') and json_valid(e.attributes)
group by all
having unit is not null
