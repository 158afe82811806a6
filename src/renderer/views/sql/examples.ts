/** Questions to begin with; each runs on any case. */
export const examples: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'Worst events first',
    sql: `select time_utc, severity, type, device_id, message, event_id
from events
order by case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end, time_ns
limit 200`,
  },
  {
    name: 'Events per minute by type',
    sql: `select date_trunc('minute', time_utc) as minute, type, count(*) as events
from events
group by all
order by minute, events desc`,
  },
  {
    name: 'p99 per service and 10 s',
    sql: `select time_bucket(interval 10 seconds, start_utc::timestamp) as time, service,
  quantile_cont(duration_ms, 0.99) as p99_ms, count(*) as spans
from spans
group by all
order by service, time`,
  },
  {
    name: 'Failed spans by service and name',
    sql: `select service, name, count(*) filter (status = 'error') as failed, count(*) as spans,
  failed / spans as share
from spans
group by all
having failed > 0
order by failed desc`,
  },
  {
    name: 'What is recorded, by source',
    sql: `select name, format, first_ns, last_ns from source order by name`,
  },
  {
    name: 'Highest and lowest of every metric',
    sql: `select entity_kind, entity, metric, unit, min(value) as lowest, max(value) as highest, count(*) as samples
from metrics
group by all
order by entity_kind, entity, metric`,
  },
];
