-- Entities and metrics with histograms or summaries; several series of one metric share their lanes. `stated`: which of the quantiles
-- of a lane there are, for a summary has those that its producer chose.
select c.canonical_id as entity, s.metric, any_value(s.unit) as unit, list(distinct s.series_id order by s.series_id) as series,
  list(distinct d.source_id order by d.source_id) as sources, sum(d.points)::bigint as count,
  [bool_or(d.has_p50), bool_or(d.has_p95), bool_or(d.has_p99)] as stated
from (
  select p.series, p.source_id, count(*) as points,
    bool_or(b.kind <> 'summary' or contains(p.detail, '[0.5,')) as has_p50,
    bool_or(b.kind <> 'summary' or contains(p.detail, '[0.95,')) as has_p95,
    bool_or(b.kind <> 'summary' or contains(p.detail, '[0.99,')) as has_p99
  from distribution p
  join series b on b.series_id = p.series
  group by p.series, p.source_id
) d
join series s on s.series_id = d.series
join canonical c on c.entity_id = s.entity
group by c.canonical_id, s.metric
order by entity, s.metric
