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
  of('hw.gpu.utilization', 'busy'),
  of('service.replicas.wanted', 'replicas_wanted'),
  of('service.replicas.ready', 'replicas_ready'),
];
