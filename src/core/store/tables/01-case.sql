-- Metadata of the file. Checked before anything else is read: a newer schema is refused, never guessed at.
create table meta (key varchar primary key, value varchar not null);

-- One imported file or feed. `rows` is JSON {table: count}. Times of its rows are kept as recorded;
-- adding clock_offset_ns puts them on the case's clock (see the views in 06-views.sql).
create table source (
  source_id integer primary key,
  name varchar not null,
  format varchar not null,
  -- Of the file's bytes, after the name of its algorithm: sha256:…; cases made before 2026-12 have sha512-256:….
  digest varchar not null,
  bytes bigint not null,
  imported_at_ns bigint not null,
  first_ns bigint,
  last_ns bigint,
  clock_offset_ns bigint not null default 0,
  clock_uncertainty_ns bigint not null default 0,
  rows varchar not null,
  rejects bigint not null,
  -- JSON list of texts: what the reader assumed or left out.
  remarks varchar not null
);

-- A row that could not be read: skipped, counted, listed.
create table reject (source_id integer not null, file varchar, "at" bigint not null, reason varchar, excerpt varchar);

-- Outages of live feeds, by their own report: a gap, never zeros, and no event. until_ns is NULL while it lasts. On the
-- source's clock like its rows, so that both move together when that is set.
create table outage (source_id integer not null, from_ns bigint not null, until_ns bigint, reason varchar not null);

-- A slice that was pulled out of an archive, as a source: which archive and query, without secrets, and which window of it, the
-- end excluded. Written with the rows of its source, also where there were none: what is here need not be pulled again.
create table pulled (
  source_id integer primary key,
  archive varchar not null,
  query varchar not null,
  from_ns bigint not null,
  until_ns bigint not null
);
