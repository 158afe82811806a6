-- Log records with a text, and errors among them, in slots of 10 s.
select toFloat64(intDiv(toUnixTimestamp64Nano(Timestamp), 10000000000)) as slot, toFloat64(count()) as records,
  toFloat64(countIf(SeverityNumber >= 17)) as errors, toUnixTimestamp64Nano(min(Timestamp)) as first_ns
from {database:Identifier}.{logs:Identifier}
where Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp < fromUnixTimestamp64Nano({until_ns:Int64})
  and (empty({only:Array(String)}) or ServiceName in {only:Array(String)})
group by slot
order by slot
