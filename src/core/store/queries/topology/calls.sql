-- Which service called which, seen in the traces of a window: a span whose parent belongs to another service, or a client's or
-- producer's span that names its peer, which may record no spans of its own (OpenTelemetry: service.peer.name, earlier peer.service;
-- server.address, earlier net.peer.name; else the kind of database). A peer is a service of that name, or of the first part of its
-- name in the cluster's DNS. And a log line of warning or error about a call to a service, which may trace nothing. $1, $2: nanoseconds on the case's clock. $3: a power of two; only one trace of so many is looked at,
-- whole, because a join of all spans with their parents does not fit the engine's memory from 20 M spans on.
with nested as (
  select distinct p.canonical_id as caller, c.canonical_id as callee
  from span child
  join source src on src.source_id = child.source_id
  join span parent on parent.trace_hi = child.trace_hi and parent.trace_lo = child.trace_lo and parent.span_id = child.parent_id
  join canonical p on p.entity_id = parent.service
  join canonical c on c.entity_id = child.service
  where child.parent_id <> 0 and child.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
    and xor(child.trace_hi, child.trace_lo) & ($3::ubigint - 1) = 0 and xor(parent.trace_hi, parent.trace_lo) & ($3::ubigint - 1) = 0
),
peer as (
  select distinct client.service, json_transform(client.attributes, '{"service.peer.name": "VARCHAR", "peer.service": "VARCHAR", "server.address": "VARCHAR",
    "net.peer.name": "VARCHAR", "db.system.name": "VARCHAR", "db.system": "VARCHAR"}') as j
  from span client
  join source src on src.source_id = client.source_id
  where client.kind in (3, 4) and client.start_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
    and xor(client.trace_hi, client.trace_lo) & ($3::ubigint - 1) = 0
    and (contains(client.attributes, 'peer') or contains(client.attributes, '"server.address"') or contains(client.attributes, '"db.system'))
    and json_valid(client.attributes)
),
complaint as (
  select distinct coalesce(stated.entity_id, case when own.kind = 'service' then own.entity_id end) as service,
    called_in(l.body) as name
  from log l
  join source src on src.source_id = l.source_id
  join resource r on r.resource_id = l.resource
  left join entity own on own.entity_id = r.entity
  left join entity stated on stated.kind = 'service' and stated.id = case when json_valid(r.attributes) then r.attributes->>'$."service.name"' end
  where l.severity >= 13 and l.time_ns between $1 - src.clock_offset_ns and $2 - src.clock_offset_ns
),
named as (
  select distinct service, unnest([name, case when not contains(name, '.') or contains(name, '.svc') then split_part(split_part(name, ':', 1), '.', 1) end]) as peer
  from (
    select service, unnest([j."service.peer.name", j."peer.service", j."server.address", j."net.peer.name", j."db.system.name", j."db.system"]) as name from peer
    union all
    from complaint
  )
)
select caller, callee from nested where caller <> callee
union
select p.canonical_id, c.canonical_id
from named
join entity e on e.kind = 'service' and e.id = named.peer
join canonical c on c.entity_id = e.entity_id
join canonical p on p.entity_id = named.service
where p.canonical_id <> c.canonical_id
order by all
