import type { Severity } from '../../../../model/entity.ts';
import type { ServingQuantity } from '../../../../model/telemetry/serving-attributes.ts';
import type { ServingRuleId } from '../../serving/condition.ts';
import { conditionText } from '../../serving/condition-text.ts';
import { estimatesOf } from '../../serving/estimate.ts';
import { eventLines } from '../episodes.ts';
import type { Pattern } from '../pattern.ts';
import { blockedScalers, scalerEvents } from './scaler-events.ts';
import { servingRules } from './serving-rules.ts';

const severities: Readonly<Record<ServingRuleId, Severity>> = {
  'batch-underfilled': 'high',
  'gpu-idle-while-queued': 'high',
  'cache-misses': 'medium',
  'kv-cache-full': 'high',
  'replica-unlike-peers': 'high',
  'token-shift': 'low',
  'long-prompts-block': 'medium',
  'slow-tool': 'medium',
  'client-cancellations': 'medium',
  'cold-start': 'medium',
  'autoscaler-lag': 'medium',
};

const quantityNames: Readonly<Record<ServingQuantity, string>> = {
  waiting: 'requests that wait',
  queue_wait: 'time in the queue',
  running: 'running requests',
  batch: 'size of batches',
  batch_limit: 'limit of batches',
  batch_fill: 'fill of batches',
  cache_hit: 'hit rate of the cache',
  cache_hits: 'hits of the cache',
  cache_lookups: 'look-ups of the cache',
  kv_cache: 'use of the key-value cache',
  preemptions: 'preemptions',
  busy: 'load of GPUs',
  busy_share: 'load of GPUs',
  input_tokens: 'tokens of prompts',
  output_tokens: 'tokens of answers',
  duration: 'duration of requests',
  tool_duration: 'duration of calls of tools',
  cancelled: 'cancelled requests',
  cold_start: 'cold starts',
  completed: 'completed requests',
  time: 'time of all requests',
  inferences: 'inputs of the model',
  executions: 'batches of the model',
  replicas_wanted: 'replicas that were wanted',
  replicas_ready: 'replicas that were ready',
  replicas_current: 'replicas that existed',
  replicas_limit: 'replicas that the autoscaler may run',
};

/** The rules of serving as patterns. */
export const modelServing: readonly Pattern[] = servingRules.map(({ id, find }) => ({
  id,
  detect: (facts) =>
    facts.rows.serving.flatMap((series) => [
      ...(id === 'autoscaler-lag' ? blockedScalers(facts, series) : []),
      ...find(series).map(({ service, model, start_ns, end_ns, figures, evidence, missing }) => ({
        headline: `${facts.name(service)}${model === null ? '' : ` (${model})`} ${conditionText(figures)}`,
        severity: severities[id],
        start_ns,
        end_ns,
        entities: [service],
        evidence: [
          ...evidence.map(({ quantity, refs }) => ({ text: quantityNames[quantity], refs: [...refs] })),
          ...(id === 'autoscaler-lag' ? eventLines(scalerEvents(facts, service, { start_ns, end_ns })) : []),
        ],
        missing,
        estimates: estimatesOf(figures),
      })),
    ]),
}));
