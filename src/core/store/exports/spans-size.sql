-- How many spans there are, and bytes of the texts that go into their rows, without those of names.
select (select count(*) from span),
  (select coalesce(sum(strlen(coalesce(attributes, '')) + strlen(coalesce(status_message, '')) + strlen(coalesce(trace_state, ''))), 0) from span)
  + (select coalesce(sum(strlen(attributes)), 0) from span_event)
  + (select coalesce(sum(strlen(attributes)), 0) from span_link)
