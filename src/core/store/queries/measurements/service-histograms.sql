-- OpenTelemetry server histograms, raw: the deltas between points and the quantiles are worked out by the caller.
select
  c.canonical_id as service, s.series_id, s.metric, s.kind, s.unit, s.temporality, coalesce(s.attributes, '{}') as attributes,
  d.start_ns + src.clock_offset_ns as start_ns, d.time_ns + src.clock_offset_ns as time_ns, d.count, d.detail
from distribution d
join series s on s.series_id = d.series
join source src on src.source_id = d.source_id
join canonical c on c.entity_id = s.entity
where s.kind in ('histogram', 'exponential_histogram') and d.count is not null and d.detail is not null
  and s.metric in (
    'http.server.request.duration', 'http.server.duration', 'http_server_request_duration_seconds',
    'rpc.server.call.duration', 'rpc.server.duration', 'gen_ai.server.request.duration')
order by service, s.series_id, d.time_ns
