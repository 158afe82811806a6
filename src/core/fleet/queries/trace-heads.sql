-- List entry of each trace, as in trace-heads.sql of a case. Their spans are looked for between two times.
select TraceId as trace_id, toUnixTimestamp64Nano(min(Timestamp)) as start_ns,
  (max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration)) - start_ns) / 1e6 as duration_ms, toFloat64(count()) as spans,
  toFloat64(countIf(StatusCode in ('Error', 'STATUS_CODE_ERROR'))) as errors, toFloat64(uniqExactIf(ServiceName, ServiceName <> '')) as services,
  max(ParentSpanId = '') as root_recorded,
  -- A root first, then by start.
  argMin(ServiceName, (ParentSpanId <> '', Timestamp)) as root_service, argMin(SpanName, (ParentSpanId <> '', Timestamp)) as root_name
from {database:Identifier}.{traces:Identifier}
where TraceId in {ids:Array(String)}
  and Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp <= fromUnixTimestamp64Nano({until_ns:Int64})
group by TraceId
