-- Ranks that anything names, also those that left no recording of their own.
select entity_id, id from entity where kind = 'rank'
