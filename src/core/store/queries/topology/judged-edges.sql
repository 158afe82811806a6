-- After links.sql: which of them are only proposed.
-- Links that a live feed finds between two devices are proposed: they count if the investigator accepts them, or if an imported
-- file states the same. Links that a device reports about itself count at once: its parts (not devices in
-- their own right, and no racks), memberships of its parts, feeds within the device, and the host that
-- an OTLP sender reports. So does the pod of a rank: its own object states which one it is.
, placed as (
  select link.*,
    link.kind = 'contains' and f.kind <> 'rack'
      and t.kind not in ('rack', 'server', 'node', 'instance', 'switch', 'pdu', 'ups') as is_part,
    link.kind = 'runs_on' and f.kind = 'rank' and t.kind = 'pod' as is_own
  from link
  join entity f on f.entity_id = link.from_id
  join entity t on t.entity_id = link.to_id
),
part as (select distinct from_id as whole, to_id as part from placed where is_part),
within as (
  select whole as from_id, part as to_id from part
  union
  select part, whole from part
  union
  select a.part, b.part
  from placed
  join part a on a.part = placed.from_id
  join part b on b.part = placed.to_id and b.whole = a.whole
  where placed.kind = 'feeds'
),
claim as (
  select placed.*,
    is_found and not is_part and not is_own and placed.kind <> 'member_of' and not (placed.kind = 'feeds' and within.from_id is not null)
      as is_claim
  from placed
  left join within on within.from_id = placed.from_id and within.to_id = placed.to_id
),
judged as (
  select *, bool_and(is_claim) over (partition by from_id, kind, to_id) as is_proposed
  from claim
)
