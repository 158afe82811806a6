-- OTLP signals. Texts that differ from row to row use zstd: the engine would choose FSST, four times as
-- large and two thirds longer to write. Trace ids are two 64-bit halves and span ids one number: fixed width compares, sorts and
-- compresses better than text; the views give them back as hex.
create table span (
  source_id integer not null,
  trace_hi ubigint not null, trace_lo ubigint not null, span_id ubigint not null, parent_id ubigint not null,
  start_ns bigint not null, end_ns bigint not null,
  name integer, service integer, resource integer, scope integer,
  kind utinyint not null, status utinyint not null, flags uinteger not null,
  trace_state varchar, status_message varchar, attributes varchar using compression zstd,
  dropped uinteger not null
);

-- Where in time each trace of a source has spans: trace ids are random, so that no zone map finds them, but files are
-- mostly in order of time. One row per slice of 2^34 ns (17 s, start_ns >> 34, as recorded) in which a trace begins a
-- span; key is the lowest 36 bits of trace_hi xor trace_lo, ascending within a source, so that a lookup reads one row
-- group per source. Written by span-directory.ts, read by trace(id); 0.3 to 3.3 bytes a span (bench/queries.ts).
create table trace_place (source_id integer not null, key ubigint not null, slice integer not null);

-- Spans per slice of 2^27 ns (0.13 s, start_ns >> 27, as recorded): shown in the overview of the whole case, which is the
-- first query of a window, without a scan of all spans. At most 27 000 rows an hour of a source.
create table span_count (source_id integer not null, slice bigint not null, spans bigint not null);

create table span_event (
  source_id integer not null,
  trace_hi ubigint not null, trace_lo ubigint not null, span_id ubigint not null,
  time_ns bigint not null, name integer, attributes varchar using compression zstd
);

create table span_link (
  source_id integer not null,
  trace_hi ubigint not null, trace_lo ubigint not null, span_id ubigint not null,
  linked_trace_hi ubigint not null, linked_trace_lo ubigint not null, linked_span_id ubigint not null,
  trace_state varchar, attributes varchar
);

-- value is NULL if the producer sent "no recorded value": a gap, never a zero.
create table point (
  source_id integer not null,
  series integer not null, start_ns bigint not null, time_ns bigint not null, value double
);

-- Points of each series by source. Slices of 2^shift ns hold about 8 of them; NULL: too few to be worth slices.
create table series_extent (source_id integer not null, series integer not null, shift utinyint, points bigint not null);

-- The lowest, highest and latest value of each slice (time_ns >> shift) of a series, from which windows of many points are
-- drawn; floats, for what is drawn needs no more. Written by point-ranges.ts; figures in bench/queries.ts.
create table point_range (
  source_id integer not null, series integer not null, slice bigint not null,
  low float not null, high float not null, last float not null
);

create table distribution (
  source_id integer not null,
  series integer not null, start_ns bigint not null, time_ns bigint not null,
  count double, sum double, min double, max double, detail varchar
);

create table exemplar (
  source_id integer not null,
  series integer not null, time_ns bigint not null, value double,
  trace_hi ubigint not null, trace_lo ubigint not null, span_id ubigint not null, attributes varchar
);

create table log (
  source_id integer not null,
  time_ns bigint not null, observed_ns bigint not null,
  severity utinyint not null, severity_text integer, event_name integer,
  resource integer, scope integer,
  trace_hi ubigint not null, trace_lo ubigint not null, span_id ubigint not null, flags uinteger not null,
  body varchar using compression zstd, attributes varchar using compression zstd, dropped uinteger not null
);
