-- Cases of schema 5: what a live feed told of its own outages gets a table; what was told before stays among the remarks.
create table outage (source_id integer not null, from_ns bigint not null, until_ns bigint, reason varchar not null);
