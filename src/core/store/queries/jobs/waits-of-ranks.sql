-- What ranks spent in collective operations. One that is not completed lasts until the last record of the job's operations, $5. $1, $2:
-- window; $3: slices; $4: JSON list of ranks, each with the row that it is drawn in.
with asked as (
  select from_ns, to_ns, slices, (to_ns - from_ns) / slices as slice_ns
  from (select $1::bigint as from_ns, $2::bigint as to_ns, $3::integer as slices)
),
sought as (
  select unnest(json_transform($4::varchar::json, '[{"entity": "INTEGER", "rank": "VARCHAR", "job": "VARCHAR", "place": "VARCHAR", "row": "INTEGER"}]'), recursive := true)
),
took as (
  select c.canonical_id as process, entered_ns + src.clock_offset_ns as start_ns,
    case when o.completed_ns > 0 then o.completed_ns + src.clock_offset_ns when st.text <> 'completed' then $5::bigint end as end_ns, 1.0::double as seconds
  from (select *, coalesce(nullif(started_ns, 0), nullif(created_ns, 0)) as entered_ns from collective) o
  join source src using (source_id)
  join canonical c on c.entity_id = o.rank
  left join name st on st.name_id = o.state
  -- Until the year 2112: what a broken dump states beyond would exceed 64 bits.
  where entered_ns between 1 and 4500000000000000000 and o.completed_ns between 0 and 4500000000000000000
),
process as (select entity, rank, job, place, entity as process from sought)
