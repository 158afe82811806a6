-- Views and tables of the case with their columns, in order: what the editor completes. The function trace(id) has the
-- columns of the view spans, and no row of its own in the catalog of columns.
select c.table_name as name, case when v.view_name is null then 'table' else 'view' end as kind,
  c.column_name as "column", c.data_type as type
from duckdb_columns() c
left join duckdb_views() v on v.view_name = c.table_name and v.schema_name = c.schema_name
where c.schema_name = 'main' and not c.internal
order by kind = 'table', c.table_name, c.column_index
