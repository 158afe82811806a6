-- Resources of recorded spans.
select
  resource_id, coalesce(entity, -1) as entity, if(json_valid(attributes), attributes, null) as attributes, schema_url,
  coalesce(attributes ->> '$."k8s.pod.name"', attributes ->> '$."host.name"', attributes ->> '$."k8s.node.name"', attributes ->> '$."service.instance.id"') as place
from resource
order by resource_id
