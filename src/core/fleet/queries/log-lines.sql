-- Log records by text and service: bodies without ids and long numbers, as in log-lines.sql of a case; when and how severe as parallel arrays.
-- Of records that are no errors one of `share` is read. Times are seconds after `origin_ns`.
select body, service, groupArray(offset_s) as offsets, groupArray(severity) as severities
from (
  select ServiceName as service, toFloat64(toUnixTimestamp64Nano(Timestamp) - {origin_ns:Int64}) / 1e9 as offset_s, SeverityNumber as severity,
    replaceRegexpAll(replaceRegexpAll(substringUTF8(Body, 1, 600),
      '\\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\\b|\\b(0x)?[0-9a-fA-F]*[0-9][0-9a-fA-F]{7,}\\b', '<*>'),
      '\\d+\\.\\d+|\\d{4,}', '<*>') as body
  from {database:Identifier}.{logs:Identifier}
  where Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp < fromUnixTimestamp64Nano({until_ns:Int64})
    and (empty({only:Array(String)}) or ServiceName in {only:Array(String)})
    and (SeverityNumber >= 17 or bitAnd(cityHash64(Timestamp, Body), {share:UInt64} - 1) = 0)
)
group by body, service
