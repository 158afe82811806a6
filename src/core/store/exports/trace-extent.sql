-- Start of the first row of a window, and the number of rows that a trace cannot show; each $name is a condition on its table `t`.
select
  least(
    (select min(t.start_ns + src.clock_offset_ns) from span t join source src using (source_id) where $span),
    (select min(t.time_ns + src.clock_offset_ns) from event t join source src using (source_id) where $event),
    (select min(t.time_ns + src.clock_offset_ns) from point t join source src using (source_id) where $point)
  ) as first_ns,
  (select count(*)::double from span t where $span) as spans,
  (select count(*)::double from event t where $event) as events,
  (select count(*)::double from point t where $point) as points,
  (select count(*)::double from distribution t where $distribution) as distributions,
  (select count(*)::double from log t where $log) as logs,
  (select count(*)::double from collective t where $collective) as collectives
