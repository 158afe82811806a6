-- How the requests of parts of services did, as in service-parts.sql of a case, from one trace of `share`. Attributes that name the model,
-- route and tenant are bound by preference.
with request as (
  select ServiceName as service, toUnixTimestamp64Nano(Timestamp) as start_ns, Duration as duration_ns,
    StatusCode in ('Error', 'STATUS_CODE_ERROR') as failed,
    arrayMap(names -> substringUTF8(arrayFirst(value -> value <> '', arrayMap(name -> SpanAttributes[name], names)), 1, 200),
      [{models:Array(String)}, {routes:Array(String)}, {tenants:Array(String)}]) as stated,
    substringUTF8(arrayFirst(value -> value <> '', arrayMap(name -> ResourceAttributes[name], ['k8s.pod.name', 'service.instance.id', 'host.name'])), 1, 200) as replica
  from {database:Identifier}.{traces:Identifier}
  where Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp < fromUnixTimestamp64Nano({until_ns:Int64})
    and multiIf(SpanKind in ('Server', 'Consumer', 'SPAN_KIND_SERVER', 'SPAN_KIND_CONSUMER'), 2, ParentSpanId = '', 1, 0)
      = transform(ServiceName, {services:Array(String)}, {standings:Array(UInt8)}, 9)
    and bitAnd(bitXor(reinterpretAsUInt64(reverse(unhex(substring(TraceId, 1, 16)))), reinterpretAsUInt64(reverse(unhex(substring(TraceId, 17, 16))))),
      {share:UInt64} - 1) = 0
),
parted as (
  select service, start_ns, duration_ns, failed, named.1 as part, named.2 as name
  from request
  array join arrayZip(['model', 'route', 'tenant', 'replica'], arrayPushBack(stated, replica)) as named
  where named.2 <> ''
),
chosen as (
  select service, part, name, multiIf(per_s >= 2, 10, per_s >= 20 / 30, 30, per_s >= 3 / 60, 60, 300) * 1000000000 as width_ns
  from (
    select service, part, name, requests, per_s, count() over (partition by service, part) as parts,
      row_number() over (partition by service, part order by requests desc, name) as place
    from (
      select service, part, name, count() as requests, count() / greatest((max(start_ns) - min(start_ns)) / 1e9, 1) as per_s
      from parted
      group by service, part, name
      having requests >= {requests:UInt64}
    )
  )
  where place <= {parts:UInt64} and parts > 1
)
select service, part, name, (intDiv(start_ns, width_ns) + 1) * width_ns as time_ns, max(start_ns + toInt64(duration_ns)) as last_end_ns,
  toFloat64(count()) as requests,
  quantilesExactInclusive(0.3, 0.5, 0.7, 0.95, 0.99)(duration_ns) as quantiles, 100 * avg(failed) as error_rate
from parted
join chosen using (service, part, name)
group by service, part, name, width_ns, time_ns
order by service, part, name, time_ns
limit {rows:UInt64}
