-- Something that happened to an entity at an instant. severity: 0 critical, 1 high, 2 medium, 3 low.
-- event_id comes first because the evidence id `event:<event_id>` must never change once given.
create table event (
  event_id integer not null,
  source_id integer not null,
  original_id varchar,
  time_ns bigint not null,
  entity integer,
  origin integer,
  type integer,
  severity utinyint not null,
  message varchar,
  attributes varchar,
  raw varchar
);
