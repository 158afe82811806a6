-- Cases of schema 2: their traces get a directory, so that one is found without reading all.
create table trace_place (source_id integer not null, key ubigint not null, slice integer not null);
insert into trace_place
  select distinct source_id, xor(trace_hi, trace_lo) & 68719476735 as key, (start_ns >> 34)::integer as slice
  from span
  order by source_id, key, slice;
