-- $1: source; $2: row.
select c.*, r.kind as rank_kind, r.id as rank_name, g.text as group_name_id, gn.text as group_label, o.text as operation_name, st.text as state_name,
  d.text as dtype_name, s.name as source_name, s.clock_offset_ns
from collective c
join source s using (source_id)
left join entity r on r.entity_id = c.rank
left join name g on g.name_id = c.group_id
left join name gn on gn.name_id = c.group_name
left join name o on o.name_id = c.operation
left join name st on st.name_id = c.state
left join name d on d.name_id = c.dtype
where c.source_id = $1 and c.rowid = $2
