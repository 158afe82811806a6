-- Spans of a region that have a value; any of them, found as soon as possible. $1, $2: region; $3 to $7 as $5 to
-- $9 in difference-sample.sql. $8: what of a span: as `dim` in difference-span-values.sql, 6 the duration of `NAME of SERVICE`,
-- 7 any span with the attribute. $9: key; $10: value; $11: most.
with meant_service as (select unnest(nullif($3, 'all')::integer[]) as id),
meant_resource as (select unnest($4::integer[]) as id),
found as (
  select s.*, s.start_ns + src.clock_offset_ns as time_ns, n.text as name_text, service.id as service_id
  from span s
  join source src using (source_id)
  left join name n on n.name_id = s.name
  left join entity service on service.entity_id = s.service
  left join resource r on r.resource_id = s.resource
  where s.start_ns >= $1 - src.clock_offset_ns and s.start_ns < $2 - src.clock_offset_ns
    and ($3 = 'all' or s.service in (from meant_service) or s.resource in (from meant_resource))
    and s.end_ns - s.start_ns >= $5 and s.end_ns - s.start_ns < $6
    and ($7::varchar is null or n.text = $7)
    and case $8
      when 0 then left(json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"')[$9], 200) = $10
      when 1 then left(json_transform(r.attributes, '"MAP(VARCHAR, VARCHAR)"')[$9], 200) = $10
      when 2 then service.id = $10
      when 3 then n.text = $10
      when 4 then ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'][s.kind + 1] = $10
      when 5 then ['unset', 'ok', 'error'][s.status + 1] = $10
      when 6 then n.text || coalesce(' of ' || service.id, '') = $10
      else json_transform(s.attributes, '"MAP(VARCHAR, VARCHAR)"')[$9] is not null
    end
  limit $11::bigint
)
select 'span:' || printf('%016x%016x', trace_hi, trace_lo) || '/' || printf('%016x', span_id) as ref, time_ns,
  concat_ws(' ', service_id, name_text, printf('%.1f ms', (end_ns - start_ns) / 1e6), case when status = 2 then 'error' end) as title
from found
order by time_ns
