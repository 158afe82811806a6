-- Spans of one trace.
select SpanId as span_id, ParentSpanId as parent_span_id, ServiceName as service, SpanName as name, SpanKind as kind, StatusCode as status,
  StatusMessage as status_message, toUnixTimestamp64Nano(Timestamp) as start_ns, Duration as duration_ns,
  SpanAttributes as attributes, ResourceAttributes as resource_attributes
from {database:Identifier}.{traces:Identifier}
where TraceId = {trace_id:String}
  and Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp <= fromUnixTimestamp64Nano({until_ns:Int64})
order by Timestamp, SpanId
limit {limit:UInt64}
