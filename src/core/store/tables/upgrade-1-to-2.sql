-- Cases of schema 1 (nothing is lost, nothing recomputed): sources gain remarks, entities their merges, and collectives a table. Its last builds had some of this.
alter table source add column if not exists remarks varchar default '[]';
create table if not exists merge (entity_id integer not null, other_id integer not null, reason varchar not null);
create table if not exists held_apart (kind varchar not null, id varchar not null, other_kind varchar not null, other_id varchar not null);
create table if not exists collective (
  source_id integer not null,
  rank integer,
  group_id integer, group_name integer, group_ranks integer,
  sequence bigint not null, p2p_sequence bigint not null,
  operation integer, state integer,
  created_ns bigint not null, started_ns bigint not null, completed_ns bigint not null,
  dtype integer, input_sizes varchar, output_sizes varchar,
  attributes varchar
);
