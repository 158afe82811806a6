-- Annotations of the investigator. Times are on the case's clock; body is JSON of what only this kind of annotation has.
create table annotation (
  annotation_id varchar primary key,
  kind varchar not null,
  text varchar not null,
  at_ns bigint,
  until_ns bigint,
  made_at_ns bigint not null,
  body varchar not null
);
