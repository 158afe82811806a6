-- Log records that may state an event: bodies with one of the texts that importers look for, and Kubernetes events in attributes.
select *
from {database:Identifier}.{logs:Identifier}
where Timestamp >= fromUnixTimestamp64Nano({from_ns:Int64}) and Timestamp < fromUnixTimestamp64Nano({until_ns:Int64})
  and (empty({only:Array(String)}) or ServiceName in {only:Array(String)})
  and (multiSearchAny(Body, {marks:Array(String)}) or arrayExists(name -> startsWith(name, 'k8s.event.'), mapKeys(LogAttributes)))
order by Timestamp
limit {limit:UInt64}
