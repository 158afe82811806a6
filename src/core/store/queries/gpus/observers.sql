-- Services that read hardware and do no work on it: by the role in their name, or because they state samples of GPUs or machines
-- and nothing of their own: no span, no log, no sample of what they do. What a scrape or a runtime states of itself is no work.
with named as (
  select c.canonical_id as service, e.id
  from entity e
  join canonical c using (entity_id)
  where e.kind = 'service'
),
by_role as (
  select service from named
  where regexp_matches(id,
    '(^|[^a-z])(exporters?|collectors?|otelcol|telegraf|scrapers?|device-plugin|((node|host|gpu|dcgm|metrics?|monitor(ing)?|telemetry|otel|datadog|zabbix|health)[-_. ]?agent))([^a-z]|$)',
    'i')
),
stated as (
  select r.resource_id, named.service, s.metric, e.kind
  from resource r
  join named on r.entity = named.service
  join series s on s.resource = r.resource_id
  left join entity e on e.entity_id = s.entity
),
by_samples as (
  select service from stated
  where not regexp_matches(metric, '^(up$|target_info$|(scrape|go|process|promhttp|otelcol)[._])')
  group by service
  having bool_and(coalesce(kind in ('gpu', 'server', 'node', 'instance', 'cpu', 'nic', 'nvlink'), false)) and bool_or(kind = 'gpu')
)
select service as entity from by_role
union
select b.service from by_samples b
where not exists (select 1 from span s join canonical c on c.entity_id = s.service where c.canonical_id = b.service)
  and not exists (select 1 from log l join resource r on r.resource_id = l.resource where r.entity = b.service)
order by entity
