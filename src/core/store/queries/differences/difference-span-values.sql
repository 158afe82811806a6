-- How often each value of each attribute occurs in the spans of a region and of its baseline, and how they clump by trace
-- (share-test.ts). A side of a trace is one cluster: all sums are over these. One row a value, and one without a value for
-- every attribute (`dim` and `key`) with the number of its values and
-- trace sides. dim: 0 attribute, 1 resource attribute, 2
-- service, 3 span name, 4 kind, 5 status.
-- Squares are of doubles: that of a trace of 50,000 spans is more than an integer holds.
-- Goes on from difference-sample.sql, and difference-span-numbers.sql goes on from here: the sample is read once. $13: least
-- clusters of a returned value.
cluster as materialized (select trace, inside, count(*)::integer as n, min(start_ns) as start_ns from sample group by all),
pair as (
  select trace, inside, 0 as dim, e.key as key, left(e.value, 200) as value, 1 as x
  from (select trace, inside, unnest(map_entries(json_transform(attributes, '"MAP(VARCHAR, VARCHAR)"'))) as e from sample)
  union all
  select s.trace, s.inside, 1, e.key, left(e.value, 200), x
  from (select trace, inside, resource, count(*)::integer as x from sample group by all) s
  join (select resource_id, unnest(map_entries(json_transform(attributes, '"MAP(VARCHAR, VARCHAR)"'))) as e from resource) r
    on r.resource_id = s.resource
  union all
  select trace, inside, dim, '', value::varchar, 1
  from (select trace, inside, unnest([2, 3, 4, 5]) as dim, unnest([service, name, kind, status]) as value from sample)
),
grouped as materialized (
  select dim, key, value, trace, inside, sum(x)::integer as x from pair where value is not null group by all
),
summed as materialized (
  select dim, key, value, coalesce(sum(x::double) filter (inside), 0) as region, coalesce(sum(x::double) filter (not inside), 0) as baseline,
    count(*) filter (inside)::double as region_groups, count(*) filter (not inside)::double as baseline_groups,
    sum(x::double * x) as squares, sum(x::double * n) as products
  from grouped join cluster using (trace, inside)
  group by dim, key, value
),
totals as (
  select count(*) filter (inside)::double as region_groups, count(*) filter (not inside)::double as baseline_groups,
    coalesce(sum(n::double) filter (inside), 0) as region, coalesce(sum(n::double) filter (not inside), 0) as baseline, sum(n::double * n) as squares
  from cluster
),
keys as (
  select dim, key, count(*)::double as distinct_values, sum(region_groups + baseline_groups) as groups,
    bool_and(try_cast(value as double) is not null) as is_number
  from summed group by dim, key
),
reported as (
  select s.* from summed s join keys k using (dim, key)
  -- What nearly every trace has of its own is an identity, and a number of many values is compared as a number.
  where s.region_groups + s.baseline_groups >= $13 and k.distinct_values <= greatest(20, k.groups / 2)
    and not (k.is_number and k.distinct_values > 20)
),
value_fact as (
  select 'value' as what, t.dim, t.key, coalesce(service.id, n.text, t.value) as value, t.region, t.baseline, t.region_groups,
    t.baseline_groups, t.squares, t.products, null::double as distinct_values, null::boolean as is_number
  from reported t
  left join entity service on service.entity_id = case when t.dim = 2 then try_cast(t.value as integer) end
  left join name n on n.name_id = case when t.dim = 3 then try_cast(t.value as integer) end
  union all
  select 'attribute', dim, key, null, 0, 0, groups, 0, 0, 0, distinct_values, is_number from keys
  union all
  select 'total', 0, '', null, region, baseline, region_groups, baseline_groups, squares, 0, null, null from totals
),
