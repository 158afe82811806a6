-- Common part of queries on the spans of a region and of its baseline: a sample of both, whole traces of either.
-- $1, $2: region, $3, $4: baseline, nanoseconds on the case's clock, ends exclusive. $5: 'all', or list of services
-- (entity ids) that count, $6: list of resources that count as well. $7, $8: least and most nanoseconds a span took,
-- the latter exclusive. $9: the name of the spans that count, null: any. $10: whether the baseline is what the region leaves
-- over instead of the same entities, durations and name.
-- $11, $12: powers of two; one trace of so many is looked at in the region and in the baseline.
with meant_service as (select unnest(nullif($5, 'all')::integer[]) as id),
meant_resource as (select unnest($6::integer[]) as id),
-- Two scans, each with a share that is constant, of one column: what the scan itself leaves out costs no attributes. The
-- lower half is the random part of a trace id (W3C Trace Context, section 3.2.2.3); for ids that differ in the upper half alone
-- difference-facts.ts puts both here.
likely as (
  select true as inside, s.* from span s where hash(s.trace_lo) & ($11 - 1)::ubigint = 0
    and s.start_ns >= $1 - (select max(clock_offset_ns) from source) and s.start_ns < $2 - (select min(clock_offset_ns) from source)
  union all
  select false, s.* from span s where hash(s.trace_lo) & ($12 - 1)::ubigint = 0
    and s.start_ns >= $3 - (select max(clock_offset_ns) from source) and s.start_ns < $4 - (select min(clock_offset_ns) from source)
),
marked as (
  select s.*, xor(s.trace_hi, s.trace_lo) as trace, s.start_ns + src.clock_offset_ns as time_ns,
    ($5 = 'all' or s.service in (from meant_service) or s.resource in (from meant_resource))
      and s.end_ns - s.start_ns >= $7 and s.end_ns - s.start_ns < $8
      and ($9::varchar is null or s.name in (select name_id from name where text = $9)) as meant
  from likely s
  join source src using (source_id)
),
sample as materialized (
  select inside, trace, service, name, kind, status, resource, attributes, start_ns, end_ns - start_ns as took_ns
  from marked
  where case when inside then meant and time_ns >= $1 and time_ns < $2
    else time_ns >= $3 and time_ns < $4 and (meant or $10) and not coalesce(meant and time_ns >= $1 and time_ns < $2, false) end
),
