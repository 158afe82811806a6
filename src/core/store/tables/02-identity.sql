-- Repeated texts (span names, event types, scopes) by code: strings are the costly part of an append.
create table name (name_id integer primary key, text varchar not null);

create table entity (
  entity_id integer primary key,
  source_id integer not null,
  kind varchar not null,
  id varchar not null,
  attributes varchar
);

-- Records refer to one entity by several names and kinds (a BMC's server, a kubelet's node, a cloud instance).
-- Recomputed after every import by resolve-entities.ts: queries group by canonical_id, never by entity_id.
create table canonical (entity_id integer primary key, canonical_id integer not null);

-- Reason of each merge; recomputed with canonical.
create table merge (entity_id integer not null, other_id integer not null, reason varchar not null);

-- Pairs of entities that the investigator keeps separate. By kind and id, because these stay.
create table held_apart (kind varchar not null, id varchar not null, other_kind varchar not null, other_id varchar not null);

-- Other names of an entity (gpu_uuid, kubernetes_node, asset_tag, ip_address, host_name): a record that
-- names the alias is about the entity.
create table alias (entity_id integer not null, source_id integer not null, kind varchar not null, name varchar not null);

create table edge (
  source_id integer not null,
  from_entity integer not null,
  kind integer not null,
  to_entity integer not null,
  valid_from_ns bigint not null,
  valid_to_ns bigint not null,
  provenance integer
);

create table resource (
  resource_id integer primary key,
  source_id integer not null,
  entity integer,
  attributes varchar,
  schema_url varchar
);

create table series (
  series_id integer primary key,
  source_id integer not null,
  metric varchar not null,
  kind varchar not null,
  entity integer,
  resource integer,
  unit varchar,
  description varchar,
  temporality integer not null,
  monotonic utinyint not null,
  attributes varchar
);
