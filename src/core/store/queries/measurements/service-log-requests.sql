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
-- One pass over the text of each record; a name that differs from another only by its case is looked up by itself.
stated as (
  select w.service, l.time_ns + src.clock_offset_ns as time_ns, src.first_ns + src.clock_offset_ns as first_ns, src.last_ns + src.clock_offset_ns as last_ns,
    -- unnest: a filter on what was read would else read each text a second time.
    unnest([case when json_valid(l.attributes) then json_transform(l.attributes, '{
      "http.response.status_code": "VARCHAR", "http.status_code": "VARCHAR", "http_status": "VARCHAR", "response_code": "VARCHAR", "DownstreamStatus": "VARCHAR",
      "response.status_code": "VARCHAR", "http": {"status_code": "VARCHAR", "response": {"status_code": "VARCHAR"}}, "httpRequest": {"status": "VARCHAR", "latency": "VARCHAR"},
      "res": {"statusCode": "VARCHAR"}, "response": {"status_code": "VARCHAR"},
      "status": "VARCHAR", "status_code": "VARCHAR", "statusCode": "VARCHAR", "code": "VARCHAR",
      "http.request.method": "VARCHAR", "method": "VARCHAR", "http_method": "VARCHAR", "request_method": "VARCHAR", "verb": "VARCHAR",
      "path": "VARCHAR", "uri": "VARCHAR", "request_uri": "VARCHAR", "url.path": "VARCHAR", "http.route": "VARCHAR", "route": "VARCHAR",
      "request": {"method": "VARCHAR"}, "req": {"method": "VARCHAR"},
      "rpc.grpc.status_code": "VARCHAR", "rpc.response.status_code": "VARCHAR", "grpc.code": "VARCHAR", "grpc.status_code": "VARCHAR",
      "span.kind": "VARCHAR", "grpc.component": "VARCHAR", "response_flags": "VARCHAR",
      "duration_ms": "DOUBLE", "latency_ms": "DOUBLE", "elapsed_ms": "DOUBLE", "took_ms": "DOUBLE", "response_time_ms": "DOUBLE", "request_time_ms": "DOUBLE", "time_ms": "DOUBLE",
      "grpc.time_ms": "DOUBLE", "durationMs": "DOUBLE", "latencyMs": "DOUBLE", "elapsedMs": "DOUBLE", "responseTime": "DOUBLE", "elapsed_time": "DOUBLE",
      "http.server.request.duration": "DOUBLE", "rpc.server.call.duration": "DOUBLE", "request_time": "DOUBLE", "duration_s": "DOUBLE", "duration_seconds": "DOUBLE",
      "latency_s": "DOUBLE", "latency_seconds": "DOUBLE", "elapsed_s": "DOUBLE", "elapsed_seconds": "DOUBLE", "response_time_s": "DOUBLE",
      "event.duration": "DOUBLE", "event": {"duration": "DOUBLE"}, "duration_ns": "DOUBLE", "latency_ns": "DOUBLE", "elapsed_ns": "DOUBLE",
      "duration_us": "DOUBLE", "latency_us": "DOUBLE", "elapsed_us": "DOUBLE", "request_time_us": "DOUBLE",
      "duration": "VARCHAR", "latency": "VARCHAR", "elapsed": "VARCHAR", "took": "VARCHAR", "response_time": "VARCHAR"
    }') end]) as j,
    case when contains(l.attributes, '"DownstreamStatus"') and json_valid(l.attributes) then l.attributes->>'$.Duration' end as traefik_ns
  from log l
  join wanted w on w.resource_id = l.resource
  join source src on src.source_id = l.source_id
  where contains(l.attributes, 'tatus') or contains(l.attributes, 'code"')
),
meant as (
  select service, time_ns, first_ns, last_ns, coalesce(j."span.kind" = 'client' or j."grpc.component" = 'client', false) as is_asked,
    -- A status alone may be that of anything.
    try_cast(coalesce(j."http.response.status_code", j."http.status_code", j.http_status, j.response_code, j.DownstreamStatus, j."response.status_code", j.http.response.status_code,
      j.http.status_code, j.httpRequest.status, j.res.statusCode, j.response.status_code,
      case when coalesce(j."http.request.method", j."method", j.http_method, j.request_method, j.verb, j.request."method", j.req."method", j.path, j.uri, j.request_uri, j."url.path",
        j."http.route", j.route) is not null then coalesce(j.status, j.status_code, j.statusCode, j.code) end) as integer) as status,
    coalesce(j."rpc.grpc.status_code", j."rpc.response.status_code", j."grpc.code", j."grpc.status_code") as rpc_code,
    coalesce(
      j.duration_ms, j.latency_ms, j.elapsed_ms, j.took_ms, j.response_time_ms, j.request_time_ms, j.time_ms, j."grpc.time_ms", j.durationMs, j.latencyMs, j.elapsedMs, j.responseTime, j.elapsed_time,
      1e3 * coalesce(j."http.server.request.duration", j."rpc.server.call.duration", j.request_time, j.duration_s, j.duration_seconds, j.latency_s, j.latency_seconds, j.elapsed_s,
        j.elapsed_seconds, j.response_time_s),
      coalesce(try_cast(traefik_ns as double), j."event.duration", j."event".duration, j.duration_ns, j.latency_ns, j.elapsed_ns) / 1e6,
      coalesce(j.duration_us, j.latency_us, j.elapsed_us, j.request_time_us) / 1e3,
      -- Envoy writes milliseconds.
      case when j.response_flags is not null then try_cast(j.duration as double) end) as known_ms,
    -- Where the name has no unit, it stands behind the number, or is unknown.
    coalesce(j.duration, j.latency, j.elapsed, j.took, j.response_time, j.httpRequest.latency) as bare
  from stated
),
timed as (
  select *, case when known_ms is null and bare is not null then regexp_extract(bare, '^([\d.]+) ?(ns|us|µs|ms|s)$', ['number', 'unit']) end as text
  from meant
),
request as materialized (
  select service, time_ns, first_ns, last_ns,
    coalesce(known_ms, try_cast(text.number as double) * case text.unit when 'ns' then 1e-6 when 'ms' then 1 when 's' then 1e3 else 1e-3 end) as duration_ms,
    coalesce(status >= 500, lower(rpc_code) in ('2', '4', '12', '13', '14', '15', 'unknown', 'deadlineexceeded', 'unimplemented', 'internal', 'unavailable', 'dataloss',
      'deadline_exceeded', 'data_loss')) as failed
  from timed
  where (status between 100 and 599 or rpc_code is not null) and not is_asked
),
width as (
  select service, case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 else 60 end * 1000000000::bigint as width_ns
  from (select service, count(*) / greatest((max(time_ns) - min(time_ns)) / 1e9, 1) as per_s from request group by service)
),
figures as (
  select service, width_ns, (least(time_ns // width_ns, 9223372036854775807 // width_ns - 1) + 1) * width_ns as time_ns, min(first_ns) as first_ns, max(last_ns) as last_ns, count(*)::double as requests,
    quantile_cont(case when duration_ms >= 0 and isfinite(duration_ms) then duration_ms end, [0.3, 0.5, 0.7, 0.95, 0.99]) as quantiles, 100.0 * avg(failed::integer) as error_rate, count(*) / (width_ns / 1e9) as throughput
  from request
  join width using (service)
  group by service, width_ns, time_ns // width_ns
)
select service, width_ns, time_ns, first_ns, last_ns, requests, quantiles[1] as p30, quantiles[2] as p50, quantiles[3] as p70, quantiles[4] as p95, quantiles[5] as p99,
  error_rate, throughput
from figures
order by service, time_ns
