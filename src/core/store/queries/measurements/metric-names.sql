-- The metrics of the case, each with the units that its series state; '': none.
select distinct metric, coalesce(unit, '') as unit from series order by metric, unit
