-- Pods that ask for GPUs: how many, its place in its job where the orchestrator states one, and whether it runs.
select c.canonical_id as pod, max(try_cast(e.attributes->>'$.gpus' as integer)) as gpus, coalesce(max(e.attributes->>'$.place'), '') as place,
  bool_or(coalesce(e.attributes->>'$.phase', '') = 'Running') as is_running
from entity e
join canonical c on c.entity_id = e.entity_id
where e.kind = 'pod' and json_valid(e.attributes) and try_cast(e.attributes->>'$.gpus' as integer) > 0
group by c.canonical_id
order by pod
