-- Services with how their requests are known, as in service-spans.sql of a case: spans by which a service is entered (server or consumer: 2),
-- else its roots (1), else all (0); how many there are, which makes the width of their intervals; and how many spans all services have.
select service, standing, spans, first_ns, last_ns, all_spans
from (
  select ServiceName as service,
    multiIf(SpanKind in ('Server', 'Consumer', 'SPAN_KIND_SERVER', 'SPAN_KIND_CONSUMER'), 2, ParentSpanId = '', 1, 0) as standing,
    count() as spans, toUnixTimestamp64Nano(min(Timestamp)) as first_ns, toUnixTimestamp64Nano(max(Timestamp)) as last_ns,
    sum(count()) over () as all_spans
  from {database:Identifier}.{traces:Identifier}
  where Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp < fromUnixTimestamp64Nano({until_ns:Int64})
    and ServiceName <> '' and (empty({only:Array(String)}) or ServiceName in {only:Array(String)})
  group by service, standing
)
order by standing desc, service
limit 1 by service
