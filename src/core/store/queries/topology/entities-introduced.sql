-- How many entities of each kind a source was the first to name.
select source_id, kind, count(*)::integer as entities
from entity
group by all
order by source_id, kind
