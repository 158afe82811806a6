-- Counts of each type, entity and severity among the events of a region and of its baseline; reports of one entity
-- of one type within a second is one cluster (share-test.ts). One row a value, and one without a value with the sums over
-- all. $1, $2: region, $3, $4: baseline, ends exclusive. $5: 'all', or list of the entities (ids, as recorded) that
-- count. $6: whether the baseline is what the region leaves over instead of the same entities.
with meant_entity as (select unnest(nullif($5, 'all')::integer[]) as id),
sided as (
  select c.canonical_id as entity, e.type, e.severity, e.time_ns + src.clock_offset_ns as time_ns,
    ($5 = 'all' or e.entity in (from meant_entity)) and time_ns >= $1 and time_ns < $2 as inside,
    $5 = 'all' or e.entity in (from meant_entity) as meant
  from event e
  join source src using (source_id)
  left join canonical c on c.entity_id = e.entity
),
cluster as (
  select coalesce(inside, false) as inside, entity, type, severity, time_ns // 1000000000 as second, count(*)::double as n
  from sided
  where coalesce(inside, false) or time_ns >= $3 and time_ns < $4 and (meant or $6)
  group by all
),
reported as (
  select inside, n, unnest(['type', 'entity', 'severity', '']) as dim,
    unnest([t.text, g.kind || ':' || g.id, ['critical', 'high', 'medium', 'low'][severity + 1], '']) as value
  from cluster
  left join name t on t.name_id = cluster.type
  left join entity g on g.entity_id = cluster.entity
)
select dim, value, coalesce(sum(n) filter (inside), 0) as region, coalesce(sum(n) filter (not inside), 0) as baseline,
  count(*) filter (inside)::double as region_groups, count(*) filter (not inside)::double as baseline_groups, sum(n * n) as squares, sum(n * n) as products
from reported
where value is not null
group by dim, value
