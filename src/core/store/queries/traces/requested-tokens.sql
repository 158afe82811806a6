-- Tokens of the prompts and answers of services, by slices of time and by who requested them: the caller, the service in which
-- the trace begins, the tenant and the model; null: not recorded. The caller is the service of the parent of the span, or of the only span by which
-- the trace enters the service; else the peer that a server's span names, which is no IP address; else the agent that the span names.
-- A tenant is that of the span, or the only one of the trace.
-- $1: JSON list of {name, quantity}; $2, $3: attributes that name the model and the tenant, by preference, joined by commas; $4: a regular
-- expression of attributes to be read; $5: length of a slice, nanoseconds; $6: a power of two, one trace of so many is read; $7: rows at most.
with known as (
  select unnest(json_transform($1::varchar::json, '[{"name": "VARCHAR", "quantity": "VARCHAR"}]'), recursive := true)
),
counted as materialized (
  select row_number() over () as row, c.canonical_id as service, (s.start_ns + src.clock_offset_ns) // $5::bigint as slice, s.trace_hi, s.trace_lo,
    s.span_id, s.parent_id, json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"') as stated
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  where regexp_matches(s.attributes, $4::varchar) and json_valid(s.attributes)
    and xor(s.trace_hi, s.trace_lo) & ($6::ubigint - 1) = 0
),
own as materialized (
  select s.trace_hi, s.trace_lo, s.span_id, s.parent_id, c.canonical_id as service,
    case when s.kind in (2, 5) and regexp_matches(s.attributes, '"(service\.peer\.name|peer\.service|client\.address|net\.(sock\.)?peer\.name)"')
      and json_valid(s.attributes) then json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"') end as peer,
    case when contains(s.attributes, 'tenant') and json_valid(s.attributes) then json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"') end as stated
  from span s
  join canonical c on c.entity_id = s.service
  where (s.trace_hi, s.trace_lo) in (select (trace_hi, trace_lo) from counted)
),
-- A peer of a server is its client.
peered as (
  select trace_hi, trace_lo, service, min(coalesce(nullif(peer['service.peer.name'], ''), nullif(peer['peer.service'], ''), host)) as peer
  from (
    select *, list_any_value(list_transform(['client.address', 'net.peer.name', 'net.sock.peer.name'],
      lambda name: case when not regexp_matches(peer[name], '^([0-9.]*|.*:.*|localhost)$') then peer[name] end)) as host
    from own
    where peer is not null
  )
  group by trace_hi, trace_lo, service
  having count(distinct coalesce(nullif(peer['service.peer.name'], ''), nullif(peer['peer.service'], ''), host)) = 1
),
entered as (
  select child.trace_hi, child.trace_lo, child.service, case when min(parent.service) = max(parent.service) then min(parent.service) end as caller
  from own child
  join own parent on parent.trace_hi = child.trace_hi and parent.trace_lo = child.trace_lo and parent.span_id = child.parent_id
  where child.parent_id <> 0 and parent.service <> child.service
  group by child.trace_hi, child.trace_lo, child.service
),
began as (
  select trace_hi, trace_lo, min(service) filter (parent_id = 0) as first, max(service) filter (parent_id = 0) as last,
    min(tenant) as tenant, max(tenant) as last_tenant
  from (select *, list_any_value(list_transform(string_split($3::varchar, ','), lambda name: nullif(stated[name], ''))) as tenant from own)
  group by trace_hi, trace_lo
),
requested as (
  select c.row, c.service, c.slice, coalesce(case when p.service <> c.service then p.service end, e.caller) as caller_key,
    coalesce(d.peer, nullif(c.stated['gen_ai.agent.name'], '')) as named, case when b.first = b.last and b.first <> c.service then b.first end as first_key,
    list_any_value(list_transform(string_split($2::varchar, ','), lambda name: nullif(c.stated[name], ''))) as model,
    coalesce(list_any_value(list_transform(string_split($3::varchar, ','), lambda name: nullif(c.stated[name], ''))),
      case when b.tenant = b.last_tenant then b.tenant end) as tenant,
    'span:' || printf('%016x%016x', c.trace_hi, c.trace_lo) || '/' || printf('%016x', c.span_id) as ref, map_entries(c.stated) as entries
  from counted c
  left join own p on p.trace_hi = c.trace_hi and p.trace_lo = c.trace_lo and p.span_id = nullif(c.parent_id, 0)
  left join entered e on e.trace_hi = c.trace_hi and e.trace_lo = c.trace_lo and e.service = c.service
  left join peered d on d.trace_hi = c.trace_hi and d.trace_lo = c.trace_lo and d.service = c.service
  left join began b on b.trace_hi = c.trace_hi and b.trace_lo = c.trace_lo
),
stated as (select * exclude (entries), unnest(entries) as entry from requested),
reading as (
  select s.row, s.service, s.slice, k.quantity, left(coalesce(caller.id, s.named), 200) as caller, left(first.id, 200) as first,
    left(s.tenant, 200) as tenant, left(s.model, 200) as model, max(try_cast(s.entry.value as double)) as tokens, any_value(s.ref) as ref
  from stated s
  join known k on k.name = s.entry.key
  left join entity caller on caller.entity_id = s.caller_key
  left join entity first on first.entity_id = s.first_key
  group by all
)
select service, quantity, caller, first, tenant, model, slice, count(*)::double as readings, avg(tokens) as mean, median(tokens) as middle,
  sum(tokens) as total, max(tokens) as high, arg_max(ref, tokens) as ref
from reading
where tokens between 0 and 1e15
group by service, quantity, caller, first, tenant, model, slice
order by service, quantity, slice, caller, first, tenant, model
limit $7::bigint
