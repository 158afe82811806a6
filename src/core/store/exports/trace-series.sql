-- Series with points in a window ($rows: a condition on the point `t`), for the names of their counters.
select
  s.series_id, s.metric, s.kind, coalesce(s.entity, -1) as entity, s.unit, s.description, s.temporality, s.monotonic,
  if(json_valid(s.attributes), s.attributes, null) as attributes,
  rs.entity as resource_entity, if(json_valid(rs.attributes), rs.attributes, null) as resource_attributes, rs.schema_url
from series s
left join resource rs on rs.resource_id = s.resource
where s.series_id in (select distinct t.series from point t where $rows)
order by s.series_id
