-- Cases of schema 3: the investigator's annotations are kept.
create table annotation (
  annotation_id varchar primary key,
  kind varchar not null,
  text varchar not null,
  at_ns bigint,
  until_ns bigint,
  made_at_ns bigint not null,
  body varchar not null
);
