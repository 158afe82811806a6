-- What hosts state of their GPUs: the product that a device plugin labels them with, and the instance type of the cloud. Labels of
-- Kubernetes nodes by NVIDIA's GPU feature discovery, AMD's and Intel's device plugins; `host.type` is OpenTelemetry's.
with stated as (
  select r.entity, r.attributes from resource r
  union all select e.entity_id, e.attributes from entity e
),
named as (
  select c.canonical_id as entity,
    coalesce(s.attributes->>'$."nvidia.com/gpu.product"', s.attributes->>'$."amd.com/gpu.product-name"', s.attributes->>'$."gpu.intel.com/product"') as product,
    coalesce(s.attributes->>'$."node.kubernetes.io/instance-type"', s.attributes->>'$."beta.kubernetes.io/instance-type"',
      s.attributes->>'$."nvidia.com/gpu.machine"', s.attributes->>'$."host.type"') as instance_type
  from stated s
  join entity e on e.entity_id = s.entity
  join canonical c on c.entity_id = e.entity_id
  where e.kind in ('node', 'server', 'instance') and json_valid(s.attributes)
)
select entity, min(product) as product, min(instance_type) as instance_type
from named
where product is not null or instance_type is not null
group by entity
order by entity
