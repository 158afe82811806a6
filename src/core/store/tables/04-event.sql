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
  raw varchar,
  -- Typed details of the record: JSON of src/model/event-details.ts.
  details varchar
);

-- One collective operation as one rank recorded it; times are 0 where the recording has none.
create table collective (
  source_id integer not null,
  rank integer,
  group_id integer, group_name integer, group_ranks integer,
  sequence bigint not null, p2p_sequence bigint not null,
  operation integer, state integer,
  created_ns bigint not null, started_ns bigint not null, completed_ns bigint not null,
  dtype integer, input_sizes varchar, output_sizes varchar,
  attributes varchar
);
