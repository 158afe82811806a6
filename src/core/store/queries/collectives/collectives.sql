-- Every operation of the recordings in which at least one is incomplete: input of the hang analysis. Finished profiles
-- (all of a PyTorch trace) are left out.
select c.source_id, c.rank as entity, r.id as rank_name,
  coalesce(g.text, '') as group_id, coalesce(gn.text, '') as group_name, gr.text as group_ranks,
  c.sequence, c.p2p_sequence, coalesce(o.text, '') as operation, coalesce(st.text, '') as state,
  c.created_ns, c.started_ns, c.completed_ns,
  coalesce(d.text, '') as dtype, coalesce(c.input_sizes, '') as input_sizes, coalesce(c.output_sizes, '') as output_sizes,
  coalesce(c.attributes, '') as attributes
from collective c
join entity r on r.entity_id = c.rank
left join name g on g.name_id = c.group_id
left join name gn on gn.name_id = c.group_name
left join name gr on gr.name_id = c.group_ranks
left join name o on o.name_id = c.operation
left join name st on st.name_id = c.state
left join name d on d.name_id = c.dtype
where c.source_id in (
  select source_id from collective c2 join name n on n.name_id = c2.state where n.text <> 'completed' and c2.completed_ns = 0)
order by c.source_id, c.rank, c.created_ns, c.sequence
