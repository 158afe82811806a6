-- Service metrics given as gauges (DESIGN section 6), merged over the series of a service: several nodes
-- reporting at one instant are one service, whose worst node is what its users meet. One row per instant: turning the
-- metrics into columns here is done by all threads, and a row in JavaScript costs more than one in DuckDB.
select
  c.canonical_id as service, p.time_ns + src.clock_offset_ns as time_ns,
  max(p.value) filter (s.metric = 'service.latency.p50') as p50,
  max(p.value) filter (s.metric = 'service.latency.p95') as p95,
  max(p.value) filter (s.metric = 'service.latency.p99') as p99,
  avg(p.value) filter (s.metric = 'service.error_rate') as error_rate,
  sum(p.value) filter (s.metric = 'service.throughput') as throughput
from point p
join series s on s.series_id = p.series
join source src on src.source_id = p.source_id
join canonical c on c.entity_id = s.entity
where s.metric in ('service.latency.p50', 'service.latency.p95', 'service.latency.p99', 'service.error_rate', 'service.throughput')
  and p.value is not null
group by all
order by service, time_ns
