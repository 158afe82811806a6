-- Samples of GPUs of one table, thinned: of each series and part of the time the last value and the first of each value, where these are at most
-- eight; of more, the lowest and the highest. What is worked out from them is what all samples give.
with firsts as (
  select ResourceAttributes, ServiceName, MetricName, MetricUnit, Attributes,
    minMap([Value], [toUnixTimestamp64Nano(TimeUnix)]) as each,
    argMax(Value, TimeUnix) as latest, toUnixTimestamp64Nano(max(TimeUnix)) as latest_ns
  from {database:Identifier}.{table:Identifier}
  where TimeUnix >= fromUnixTimestamp64Nano({from_ns:Int64}) and TimeUnix < fromUnixTimestamp64Nano({until_ns:Int64})
    and (empty({only:Array(String)}) or ServiceName in {only:Array(String)})
    and match(lower(MetricName), {device:String}) and match(lower(MetricName), {measure:String}) and isFinite(Value) /* cumulative */
  group by ResourceAttributes, ServiceName, MetricName, MetricUnit, Attributes,
    intDiv(toUnixTimestamp64Nano(TimeUnix) - {from_ns:Int64}, {width_ns:Int64})
),
kept as (
  select ResourceAttributes, ServiceName, MetricName, MetricUnit, Attributes, latest, latest_ns,
    if(length(each.1) <= 8, arrayZip(each.1, each.2), [(each.1[1], each.2[1]), (each.1[-1], each.2[-1])]) as some
  from firsts
)
select ResourceAttributes, ServiceName, MetricName, MetricUnit, Attributes, sample.1 as Value, fromUnixTimestamp64Nano(sample.2, 'UTC') as TimeUnix
from kept
array join arrayDistinct(arrayPushBack(some, (latest, latest_ns))) as sample
order by TimeUnix
limit {limit:UInt64}
