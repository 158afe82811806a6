-- All named ranks, including those without a recording.
select entity_id, id from entity where kind = 'rank'
