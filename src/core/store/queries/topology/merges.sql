-- Every entity that was taken for another, with the reason: one line per step of the merge.
select a.kind, a.id, b.kind as other_kind, b.id as other_id, m.reason, leader.kind as as_kind, leader.id as as_id,
  sa.name as source, sb.name as other_source
from merge m
join entity a on a.entity_id = m.entity_id
join entity b on b.entity_id = m.other_id
join canonical c on c.entity_id = a.entity_id
join entity leader on leader.entity_id = c.canonical_id
left join source sa on sa.source_id = a.source_id
left join source sb on sb.source_id = b.source_id
order by leader.kind, leader.id, a.id
