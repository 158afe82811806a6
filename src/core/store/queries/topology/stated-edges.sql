-- After links.sql, in place of judged-edges.sql: no live feed found a link, so none is proposed. A quarter of the time to prepare it.
, judged as (select *, false as is_proposed from link)
