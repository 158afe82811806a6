-- After judged-edges.sql: the valid links without decisions on proposals.
select distinct from_id, kind, to_id, valid_from_ns, valid_to_ns
from judged
where not is_proposed
order by all
