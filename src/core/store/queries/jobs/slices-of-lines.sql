-- After steps-of-lines.sql: the slices of a window, and the processes of a job. $2, $3: window; $4: slices; $5: JSON list of
-- processes as step-processes.sql has them, each with the row that it is drawn in.
, asked as (
  select from_ns, to_ns, slices, (to_ns - from_ns) / slices as slice_ns
  from (select $2::bigint as from_ns, $3::bigint as to_ns, $4::integer as slices)
),
sought as (
  select unnest(json_transform($5::varchar::json, '[{"entity": "INTEGER", "rank": "VARCHAR", "job": "VARCHAR", "place": "VARCHAR", "row": "INTEGER"}]'), recursive := true)
)
