-- How many log records have which resource, level and attributes, and how many of each level there are per bucket. $1 to $6 and
-- $8 to $14 as in log-search.sql. $7: a power of two; one record of so many is counted. $15: nanoseconds of a bucket; $16, $17: values
-- of an attribute, and attributes, at most.
-- what: 'level', 'resource', 'attribute' (`key`; without a value the sum of all of its values), 'bucket' (`key` is its level).
with meant_resource as (select unnest(nullif($3, 'all')::integer[]) as id),
line as materialized (
  select l.resource, l.severity, l.attributes, (l.time_ns + src.clock_offset_ns - $1) // $15::bigint as bucket
  from log l
  join source src using (source_id)
  where l.time_ns >= $1 - src.clock_offset_ns and l.time_ns < $2 - src.clock_offset_ns and hash(l.rowid) & ($7 - 1)::ubigint = 0
    and ($3 = 'all' or l.resource in (from meant_resource))
    and l.severity >= $4 and l.severity < $8 and ($5 = '' or contains(lower(l.body), lower($5)))
    and ($6 = '' or l.trace_hi = trace_hi_of($6) and l.trace_lo = trace_lo_of($6))
    and ($9 = '' or json_extract_string(l.attributes, $9) = $10) and ($11 = '' or json_extract_string(l.attributes, $11) = $12)
    and ($13 = '' or json_extract_string(l.attributes, $13) = $14)
),
-- Lines of few different attributes are many: each text is read once.
recorded as (select attributes, count(*) as lines from line where attributes is not null and attributes not in ('', '{}') group by attributes),
pair as (
  select e.key as key, left(e.value, 200) as value, lines
  from (select unnest(map_entries(json_transform(attributes, '"MAP(VARCHAR, VARCHAR)"'))) as e, lines from recorded)
),
value as (select key, value, sum(lines) as lines, row_number() over (partition by key order by sum(lines) desc, value) as place from pair where value is not null group by key, value),
attribute as (
  select key, sum(lines) as lines, count(*) as different from value group by key
  -- What nearly every line has of its own is an id.
  having count(*) <= greatest(20, sum(lines) / 2)
  order by sum(lines) desc, key
  limit $17::bigint
)
select 'level' as what, ((severity + 3) // 4)::varchar as key, null as value, count(*)::double as lines, null::double as different from line group by key
union all
select 'resource', coalesce(resource, -1)::varchar, null, count(*), null from line group by resource
union all
select 'bucket', ((severity + 3) // 4)::varchar, bucket::varchar, count(*), null from line group by all
union all
select 'attribute', key, null, lines, different from attribute
union all
select 'attribute', v.key, v.value, v.lines, null from value v join attribute using (key) where v.place <= $16
