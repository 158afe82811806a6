-- How the requests of services did, by part of them and interval: by the model, route or tenant that their spans name, and by the
-- replica that served them. Requests are the spans by which a service is entered, as in service-spans.sql. Of many parts of a kind,
-- those with most requests; none where there is only one. An interval has three requests on average, and is at most five minutes.
-- $1, $2, $3: attributes that name the model, route and tenant, by preference, joined by commas; $4: a regular expression of them;
-- $5: a power of two, one trace of so many is read; $6: fewest requests of a part; $7: parts of a kind and service, at most;
-- $8: rows at most.
with entry as (
  select c.canonical_id as service, max(case when s.kind in (2, 5) then 2 when s.parent_id = 0 then 1 else 0 end) as standing
  from span s
  join canonical c on c.entity_id = s.service
  group by c.canonical_id
),
instance as (
  select resource_id, left(coalesce(attributes ->> '$."k8s.pod.name"', attributes ->> '$."service.instance.id"', attributes ->> '$."host.name"', ''), 200) as id
  from resource
  where json_valid(attributes)
),
request as (
  select e.service, s.start_ns + src.clock_offset_ns as start_ns, greatest(0, s.end_ns - s.start_ns) as duration_ns, s.status = 2 as failed,
    coalesce(i.id, '') as replica,
    case when regexp_matches(s.attributes, $4::varchar) and json_valid(s.attributes) then json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"') end as stated
  from span s
  join source src using (source_id)
  join canonical c on c.entity_id = s.service
  join entry e on e.service = c.canonical_id and e.standing = case when s.kind in (2, 5) then 2 when s.parent_id = 0 then 1 else 0 end
  left join instance i on i.resource_id = s.resource
  where xor(s.trace_hi, s.trace_lo) & ($5::ubigint - 1) = 0
),
-- Asked twice: which parts there are, and how they did.
named as materialized (
  select service, start_ns, duration_ns, failed, [
    left(list_any_value(list_transform(string_split($1::varchar, ','), lambda name: nullif(stated[name], ''))), 200),
    left(list_any_value(list_transform(string_split($2::varchar, ','), lambda name: nullif(stated[name], ''))), 200),
    left(list_any_value(list_transform(string_split($3::varchar, ','), lambda name: nullif(stated[name], ''))), 200),
    nullif(replica, '')] as names
  from request
),
parted as (
  select service, start_ns, duration_ns, failed, unnest(['model', 'route', 'tenant', 'replica']) as part, unnest(names) as name
  from named
),
rate as (
  select service, part, name, count(*) as requests, count(*) / greatest((max(start_ns) - min(start_ns)) / 1e9, 1) as per_s
  from parted
  where name is not null
  group by service, part, name
),
chosen as (
  select service, part, name,
    case when per_s >= 2 then 10 when per_s >= 20 / 30 then 30 when per_s >= 3 / 60 then 60 else 300 end * 1000000000::bigint as width_ns
  from rate
  where requests >= $6::bigint
  qualify row_number() over (partition by service, part order by requests desc, name) <= $7::bigint and count(*) over (partition by service, part) > 1
),
figures as (
  select service, part, name, width_ns, (least(start_ns // width_ns, 9223372036854775807 // width_ns - 1) + 1) * width_ns as time_ns,
    max(start_ns + duration_ns) as last_end_ns, count(*)::double as requests, quantile_cont(duration_ns, [0.3, 0.5, 0.7, 0.95, 0.99]) as quantiles, 100.0 * avg(failed::integer) as error_rate
  from parted
  join chosen using (service, part, name)
  group by service, part, name, width_ns, time_ns
)
select service, part, name, time_ns, last_end_ns, requests, quantiles[1] / 1e6 as p30, quantiles[2] / 1e6 as p50,
  quantiles[3] / 1e6 as p70, quantiles[4] / 1e6 as p95, quantiles[5] / 1e6 as p99, error_rate
from figures
order by service, part, name, time_ns
limit $8::bigint
