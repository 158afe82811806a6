-- Cases of schema 7 do not know what was pulled out of archives.
create table if not exists pulled (
  source_id integer primary key,
  archive varchar not null,
  query varchar not null,
  from_ns bigint not null,
  until_ns bigint not null
);
