-- Counters of services that may count requests.
select s.series_id, c.canonical_id as service, s.metric, coalesce(s.attributes, '') as attributes
from series s
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
where s.kind = 'sum' and s.monotonic = 1 and e.kind = 'service'
  and regexp_matches(lower(s.metric), 'req|rq|rpc|call|quer|inference|invocation|prediction|handled|response')
order by s.series_id
