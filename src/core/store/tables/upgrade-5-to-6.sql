-- Cases of schema 5: outages reported by live feeds get a table; earlier ones stay among the remarks.
create table outage (source_id integer not null, from_ns bigint not null, until_ns bigint, reason varchar not null);
