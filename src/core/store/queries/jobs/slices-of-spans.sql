-- After steps-of-spans.sql: the slices of a window, and the processes of a job. $5, $6: window; $7: slices; $8: JSON list of
-- processes as step-processes.sql has them, each with the row that it is drawn in.
, asked as (
  select from_ns, to_ns, slices, (to_ns - from_ns) / slices as slice_ns
  from (select $5::bigint as from_ns, $6::bigint as to_ns, $7::integer as slices)
),
sought as (
  select unnest(json_transform($8::varchar::json, '[{"entity": "INTEGER", "rank": "VARCHAR", "job": "VARCHAR", "place": "VARCHAR", "row": "INTEGER"}]'), recursive := true)
)
