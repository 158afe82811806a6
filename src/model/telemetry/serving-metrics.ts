import type { MetricName } from './metric.ts';
import type { ServingQuantity } from './serving-attributes.ts';

const of = (metric: MetricName, quantity: ServingQuantity) => ({ metric, quantity });

/** The quantities that metrics of inference servers, and of the GPUs under them, measure. */
export const servingMetrics: readonly { readonly metric: MetricName; readonly quantity: ServingQuantity }[] = [
  of('gen_ai.server.request.running', 'running'),
  of('gen_ai.server.request.waiting', 'waiting'),
  of('gen_ai.server.batch.size', 'batch'),
  of('gen_ai.server.batch.limit', 'batch_limit'),
  of('gen_ai.server.batch.usage', 'batch_fill'),
  of('gen_ai.server.prefix_cache.hits', 'cache_hits'),
  of('gen_ai.server.prefix_cache.queries', 'cache_lookups'),
  of('gen_ai.server.prefix_cache.hit_ratio', 'cache_hit'),
  of('gen_ai.server.kv_cache.usage', 'kv_cache'),
  of('gen_ai.server.request.preemptions', 'preemptions'),
  of('gen_ai.server.request.duration', 'duration'),
  of('gen_ai.server.request.queue.duration', 'queue_wait'),
  of('gen_ai.server.request.input_tokens', 'input_tokens'),
  of('gen_ai.server.request.output_tokens', 'output_tokens'),
  of('gen_ai.server.request.cancelled', 'cancelled'),
  of('gen_ai.server.request.success', 'completed'),
  of('gen_ai.server.request.time', 'time'),
  of('gen_ai.server.batch.inferences', 'inferences'),
  of('gen_ai.server.batch.executions', 'executions'),
  of('hw.gpu.utilization', 'busy'),
  of('service.replicas.wanted', 'replicas_wanted'),
  of('service.replicas.ready', 'replicas_ready'),
  of('service.replicas.current', 'replicas_current'),
  of('service.replicas.limit', 'replicas_limit'),
];

const pair = (of: 'request' | 'token', time: MetricName, count: MetricName) => [
  { metric: time, part: 'time', of },
  { metric: count, part: 'count', of },
];

/**
 * Counters of servers that state no time of single requests: of the time of all requests and of the requests, of the time of all
 * tokens of answers and of the tokens. Between two collections the mean is known.
 */
export const meanCounters: readonly { readonly metric: MetricName; readonly part: string; readonly of: string }[] = [
  ...pair('request', 'gen_ai.server.request.time', 'gen_ai.server.request.success'),
  ...pair('token', 'gen_ai.server.token.output.time', 'gen_ai.server.token.output'),
];
