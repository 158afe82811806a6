-- Service metrics from log records of requests, per service and bucket: access logs and what applications log of a request that they
-- answered, by the attributes that state its status and duration. A row as in service-spans.sql, but first_ns and last_ns are where the
-- records of its sources begin and end, whatever they are about. What a service asked of others is left out.
-- Names: OpenTelemetry, ECS, nginx, Envoy, Istio, Traefik, Caddy, Google Cloud, pino, Logback, go-grpc-middleware and the usual spellings.
-- $1: services that are measured otherwise, comma separated.
with writer as (
  -- A training process writes for its job, which the resource names as the service.
  select r.resource_id, coalesce(c.canonical_id, case when own.kind = 'service' then own.canonical_id end) as service
  from (select resource_id, entity, case when json_valid(attributes) then attributes->>'$."service.name"' end as named from resource) r
  left join entity e on e.kind = 'service' and e.id = r.named
  left join canonical c on c.entity_id = e.entity_id
  left join (select c.entity_id, c.canonical_id, e.kind from canonical c join entity e on e.entity_id = c.entity_id) own on own.entity_id = r.entity
),
wanted as (
  select resource_id, service from writer
  where service is not null and service not in (select unnest(string_split(nullif($1::varchar, ''), ','))::integer)
),
stated as (
  select w.service, l.time_ns + src.clock_offset_ns as time_ns, src.first_ns + src.clock_offset_ns as first_ns, src.last_ns + src.clock_offset_ns as last_ns,
    try(json_extract_string(l.attributes, ['$."http.response.status_code"', '$."http.status_code"', '$.http.response.status_code', '$.http.status_code', '$.http_status',
      '$.response_code', '$.DownstreamStatus', '$.httpRequest.status', '$.res.statusCode', '$.response.status_code'])) as status,
    try(json_extract_string(l.attributes, ['$.status', '$.status_code', '$.statusCode', '$.code'])) as word,
    try(json_extract_string(l.attributes, ['$."http.request.method"', '$.method', '$.http_method', '$.request_method', '$.verb', '$.RequestMethod', '$.request.method', '$.req.method',
      '$.path', '$.uri', '$.request_uri', '$."url.path"', '$."http.route"', '$.route'])) as request,
    try(json_extract_string(l.attributes, ['$."rpc.grpc.status_code"', '$."rpc.response.status_code"', '$."grpc.code"', '$."grpc.status_code"'])) as rpc,
    try(json_extract_string(l.attributes, ['$."span.kind"', '$."grpc.component"'])) as side,
    try(json_extract_string(l.attributes, ['$.duration_ms', '$.latency_ms', '$.elapsed_ms', '$.took_ms', '$.response_time_ms', '$.request_time_ms', '$.time_ms', '$."grpc.time_ms"',
      '$.durationMs', '$.latencyMs', '$.elapsedMs', '$.responseTime', '$.elapsed_time'])) as ms,
    try(json_extract_string(l.attributes, ['$."http.server.request.duration"', '$."rpc.server.call.duration"', '$.request_time', '$.duration_s', '$.duration_seconds', '$.latency_s',
      '$.latency_seconds', '$.elapsed_s', '$.elapsed_seconds', '$.response_time_s'])) as s,
    try(json_extract_string(l.attributes, ['$."event.duration"', '$.event.duration', '$.Duration', '$.duration_ns', '$.latency_ns', '$.elapsed_ns'])) as ns,
    try(json_extract_string(l.attributes, ['$.duration_us', '$.latency_us', '$.elapsed_us', '$.request_time_us'])) as us,
    -- Numbers without a unit in their names have it behind them; Envoy's are milliseconds.
    try(json_extract_string(l.attributes, ['$.duration', '$.latency', '$.elapsed', '$.took', '$.response_time', '$.httpRequest.latency'])) as bare,
    contains(l.attributes, '"response_flags"') as is_envoy
  from log l
  join wanted w on w.resource_id = l.resource
  join source src on src.source_id = l.source_id
  where contains(l.attributes, 'tatus') or contains(l.attributes, 'code"')
),
meant as (
  select service, time_ns, first_ns, last_ns, side,
    try_cast(coalesce(status[1], status[2], status[3], status[4], status[5], status[6], status[7], status[8], status[9], status[10],
      case when len(list_filter(request, one -> one is not null)) > 0 then coalesce(word[1], word[2], word[3], word[4]) end) as integer) as status,
    coalesce(rpc[1], rpc[2], rpc[3], rpc[4]) as rpc_code,
    coalesce(
      try_cast(coalesce(ms[1], ms[2], ms[3], ms[4], ms[5], ms[6], ms[7], ms[8], ms[9], ms[10], ms[11], ms[12], ms[13]) as double),
      1e3 * try_cast(coalesce(s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10]) as double),
      try_cast(coalesce(ns[1], ns[2], ns[3], ns[4], ns[5], ns[6]) as double) / 1e6,
      try_cast(coalesce(us[1], us[2], us[3], us[4]) as double) / 1e3,
      case when is_envoy then try_cast(bare[1] as double) end,
      try_cast(regexp_extract(coalesce(bare[1], bare[2], bare[3], bare[4], bare[5], bare[6]), '^([\d.]+) ?(ns|us|µs|ms|s)$', 1) as double)
        * case regexp_extract(coalesce(bare[1], bare[2], bare[3], bare[4], bare[5], bare[6]), '(ns|us|µs|ms|s)$', 1)
          when 'ns' then 1e-6 when 'ms' then 1 when 's' then 1e3 else 1e-3 end) as duration_ms
  from stated
),
request as materialized (
  select service, time_ns, first_ns, last_ns, case when duration_ms >= 0 and isfinite(duration_ms) then duration_ms end as duration_ms,
    coalesce(status >= 500, lower(rpc_code) in ('2', '4', '12', '13', '14', '15', 'unknown', 'deadlineexceeded', 'unimplemented', 'internal', 'unavailable', 'dataloss',
      'deadline_exceeded', 'data_loss')) as failed
  from meant
  where (status between 100 and 599 or rpc_code is not null) and coalesce(side[1] = 'client' or side[2] = 'client', false) = false
),
width as (
  select service, case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 else 60 end * 1000000000::bigint as width_ns
  from (select service, count(*) / greatest((max(time_ns) - min(time_ns)) / 1e9, 1) as per_s from request group by service)
),
figures as (
  select service, width_ns, (time_ns // width_ns + 1) * width_ns as time_ns, min(first_ns) as first_ns, max(last_ns) as last_ns, count(*)::double as requests,
    quantile_cont(duration_ms, [0.3, 0.5, 0.7, 0.95, 0.99]) as quantiles, 100.0 * avg(failed::integer) as error_rate, count(*) / (width_ns / 1e9) as throughput
  from request
  join width using (service)
  group by service, width_ns, time_ns // width_ns
)
select service, width_ns, time_ns, first_ns, last_ns, requests, quantiles[1] as p30, quantiles[2] as p50, quantiles[3] as p70, quantiles[4] as p95, quantiles[5] as p99,
  error_rate, throughput
from figures
order by service, time_ns
