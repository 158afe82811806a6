-- When spans of a trace began, from the exporter's own table of that (whole seconds), where it has one.
select toUnixTimestamp64Nano(toDateTime64(min(Start), 9)) as first_ns, toUnixTimestamp64Nano(toDateTime64(max(End), 9)) as last_ns
from {database:Identifier}.{times:Identifier}
where TraceId in {ids:Array(String)}
having count() > 0
