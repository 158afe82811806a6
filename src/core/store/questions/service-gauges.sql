-- Service metrics given as gauges (DESIGN section 6), merged over the series of a service: several nodes
-- reporting at one instant are one service, whose worst node is what its users meet.
select
  c.canonical_id as service, s.metric, p.time_ns + src.clock_offset_ns as time_ns,
  case when s.metric = 'service.throughput' then sum(p.value) when s.metric = 'service.error_rate' then avg(p.value) else max(p.value) end as value
from point p
join series s on s.series_id = p.series
join source src on src.source_id = p.source_id
join canonical c on c.entity_id = s.entity
where s.metric in ('service.latency.p50', 'service.latency.p95', 'service.latency.p99', 'service.error_rate', 'service.throughput')
  and p.value is not null
group by c.canonical_id, s.metric, p.time_ns + src.clock_offset_ns
order by service, time_ns
