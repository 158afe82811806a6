-- Cases of schema 2: their traces get a directory, so that one is found without reading all, and their
-- spans are counted by time.
create table trace_place (source_id integer not null, key ubigint not null, slice integer not null);
insert into trace_place
  select distinct source_id, xor(trace_hi, trace_lo) & 68719476735 as key, (start_ns >> 34)::integer as slice
  from span
  order by source_id, key, slice;
create table span_count (source_id integer not null, slice bigint not null, spans bigint not null);
insert into span_count select source_id, start_ns >> 27 as slice, count(*) from span group by all order by source_id, slice;
