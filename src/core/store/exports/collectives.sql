-- Collective operations, as recorded by each rank.
select
  case when c.created_ns = 0 then null else c.created_ns + src.clock_offset_ns end as created_unix_nano,
  case when c.started_ns = 0 then null else c.started_ns + src.clock_offset_ns end as started_unix_nano,
  case when c.completed_ns = 0 then null else c.completed_ns + src.clock_offset_ns end as completed_unix_nano,
  rank.kind as entity_kind, rank.id as entity, g.text as group_id, gn.text as group_name, gr.text as group_ranks,
  case when c.sequence < 0 then null else c.sequence end as sequence,
  case when c.p2p_sequence < 0 then null else c.p2p_sequence end as p2p_sequence,
  o.text as operation, st.text as state, d.text as dtype, c.input_sizes, c.output_sizes, c.attributes,
  src.name as source
from collective c
join source src using (source_id)
left join entity rank on rank.entity_id = c.rank
left join name g on g.name_id = c.group_id
left join name gn on gn.name_id = c.group_name
left join name gr on gr.name_id = c.group_ranks
left join name o on o.name_id = c.operation
left join name st on st.name_id = c.state
left join name d on d.name_id = c.dtype
order by coalesce(created_unix_nano, started_unix_nano, completed_unix_nano), entity, group_id, c.sequence, c.p2p_sequence, operation, c.attributes
