-- Cases of schema 6: details of events are stored typed. SQL cannot read it: the next opening does (older-details.ts).
alter table event add column if not exists details varchar;
insert into meta select 'event_details_unread', 'yes' where not exists (select 1 from meta where key = 'event_details_unread');
