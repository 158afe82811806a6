-- Histograms, raw: the deltas between points and the quantiles are worked out by the caller. $1: numbers of series, comma separated.
select
  c.canonical_id as service, s.series_id, s.metric, s.kind, s.unit, s.temporality, coalesce(s.attributes, '{}') as attributes,
  d.start_ns + src.clock_offset_ns as start_ns, d.time_ns + src.clock_offset_ns as time_ns, d.count, d.detail
from distribution d
join series s on s.series_id = d.series
join source src on src.source_id = d.source_id
join canonical c on c.entity_id = s.entity
where s.series_id in (select unnest(string_split(nullif($1::varchar, ''), ','))::integer) and d.count is not null and d.detail is not null
order by service, s.series_id, d.time_ns
