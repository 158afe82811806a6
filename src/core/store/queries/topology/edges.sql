-- After judged-edges.sql: every link, once per data source; `statement` numbers its provenance, kind and time. The texts
-- stand only beside some links of each number: as texts they would take longer than all the rest.
, word as (
  select kind, provenance, source, reported_ns, is_proposed, row_number() over ()::integer as statement, min(from_id) as first_id
  from judged
  group by kind, provenance, source, reported_ns, is_proposed
)
select
  from_id, to_id, valid_from_ns, valid_to_ns, statement,
  case when from_id = first_id then kind end as kind, case when from_id = first_id then provenance end as provenance,
  case when from_id = first_id then source end as source, case when from_id = first_id then reported_ns end as reported_ns,
  case when from_id = first_id then is_proposed end as is_proposed
from judged
join word using (kind, provenance, source, reported_ns, is_proposed)
order by from_id, judged.kind, to_id, valid_from_ns, valid_to_ns
