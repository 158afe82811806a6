import { messages } from './messages.ts';

/** Example queries; each runs on any case. */
export const examples: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: messages.examples.events,
    sql: `select time_utc, severity, type, device_id, message, event_id
from events
order by case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end, time_ns
limit 200`,
  },
  {
    name: messages.examples.perMinute,
    sql: `select date_trunc('minute', time_utc) as minute, type, count(*) as events
from events
group by all
order by minute, events desc`,
  },
  {
    name: messages.examples.p99,
    sql: `select time_bucket(interval 10 seconds, start_utc::timestamp) as time, service,
  quantile_cont(duration_ms, 0.99) as p99_ms, count(*) as spans
from spans
group by all
order by service, time`,
  },
  {
    name: messages.examples.failed,
    sql: `select service, name, count(*) filter (status = 'error') as failed, count(*) as spans,
  failed / spans as share
from spans
group by all
having failed > 0
order by failed desc`,
  },
  {
    name: messages.examples.sources,
    sql: `select name, format, first_ns, last_ns from source order by name`,
  },
  {
    name: messages.examples.metrics,
    sql: `select entity_kind, entity, metric, unit, min(value) as lowest, max(value) as highest, count(*) as samples
from metrics
group by all
order by entity_kind, entity, metric`,
  },
];
