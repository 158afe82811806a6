-- After judged-edges.sql: every link, with who says so and since when that is recorded.
select
  from_id, kind, to_id, valid_from_ns, valid_to_ns, is_proposed,
  list_sort(list(distinct provenance)) as provenance, list_sort(list(distinct source)) as sources, min(told_ns) as told_ns
from judged
group by all
order by from_id, kind, to_id, valid_from_ns, valid_to_ns
