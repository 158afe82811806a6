-- Series from which events are derived, with the data for voltages without stated
-- limits: how many samples there are, and their median, to a thousandth (as LiveSamples has it, which counts equal values).
-- $1: metric names, comma separated.
select s.series_id, s.metric, s.entity, e.kind as entity_kind,
  coalesce(s.attributes, '') as attributes, coalesce(s.unit, '') as unit,
  count(p.value)::double as samples, quantile_disc(round(p.value, 3), 0.5) filter (isfinite(p.value)) as median
from series s
join canonical c on c.entity_id = s.entity
join entity e on e.entity_id = c.canonical_id
left join point p on p.series = s.series_id
where s.metric in (select unnest(string_split($1::varchar, ','))) and s.temporality <> 1
group by all
order by s.series_id
