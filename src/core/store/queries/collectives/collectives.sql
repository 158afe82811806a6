-- Every operation of the recordings in which at least one is incomplete, and of the other ranks of their jobs: input of the hang
-- analysis. Finished profiles (all of a PyTorch trace) are left out.
with incomplete as (
  select distinct src.source_id, src.format, nullif(regexp_extract(r.id, '^(.*)/rank-\d+$', 1, 's'), '') as job
  from collective c
  join name n on n.name_id = c.state
  join source src using (source_id)
  join entity r on r.entity_id = c.rank
  where n.text <> 'completed' and c.completed_ns = 0
),
wanted as (
  select source_id from incomplete
  union
  select distinct c.source_id
  from collective c
  join source src using (source_id)
  join entity r on r.entity_id = c.rank
  join incomplete i on i.format = src.format and i.job = regexp_extract(r.id, '^(.*)/rank-\d+$', 1, 's')
)
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
where c.source_id in (select source_id from wanted)
order by c.source_id, c.rank, c.created_ns, c.sequence
