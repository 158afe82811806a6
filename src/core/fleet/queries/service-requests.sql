-- Requests of some services in intervals, as in service-spans.sql of a case. One row a service: its intervals as parallel arrays, in no
-- order. First and last, and when the last span ended, are counted from the beginning of an interval. All of the services have the same standing and width.
select service, groupArray(slot) as slots, groupArray(first) as firsts, groupArray(last) as lasts, groupArray(ended) as ends, groupArray(requests) as counts,
  groupArray(failed) as failures, groupArray(quantiles[1]) as p30, groupArray(quantiles[2]) as p50, groupArray(quantiles[3]) as p70,
  groupArray(quantiles[4]) as p95, groupArray(quantiles[5]) as p99
from (
  select ServiceName as service, toFloat64(intDiv(toUnixTimestamp64Nano(Timestamp), {width_ns:Int64})) as slot,
    toFloat64(min(toUnixTimestamp64Nano(Timestamp) % {width_ns:Int64})) as first,
    toFloat64(max(toUnixTimestamp64Nano(Timestamp) % {width_ns:Int64})) as last,
    toFloat64(max(toUnixTimestamp64Nano(Timestamp) % {width_ns:Int64} + toInt64(Duration))) as ended,
    toFloat64(count()) as requests, toFloat64(countIf(StatusCode in ('Error', 'STATUS_CODE_ERROR'))) as failed,
    quantilesExactInclusive(0.3, 0.5, 0.7, 0.95, 0.99)(Duration) as quantiles
  from {database:Identifier}.{traces:Identifier}
  where Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp < fromUnixTimestamp64Nano({until_ns:Int64})
    and ServiceName in {services:Array(String)}
    and multiIf(SpanKind in ('Server', 'Consumer', 'SPAN_KIND_SERVER', 'SPAN_KIND_CONSUMER'), 2, ParentSpanId = '', 1, 0) = {standing:UInt8}
  group by service, slot
)
group by service
order by service
