import { nanoseconds } from '../../../model/time.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { ServingCondition, ServingRuleId } from './condition.ts';
import { serving } from './parameters.ts';

/** Why software slows a service that serves a model; the `type` of a hypothesis. */
export const servingCauses = [
  'batching_limit',
  'cache_misses',
  'kv_cache_full',
  'slow_replica',
  'longer_requests',
  'long_prompts',
  'slow_tool',
  'client_cancellations',
  'cold_start',
  'autoscaler_lag',
] as const;
export type ServingCause = (typeof servingCauses)[number];

interface Meaning {
  readonly cause: ServingCause;
  /** How much it shows of a cause in software, 0 to 1: a slow replica may have a slow device, a full cache be full of slow requests. */
  readonly share: () => number;
}

const meanings: Readonly<Record<ServingRuleId, Meaning>> = {
  'batch-underfilled': { cause: 'batching_limit', share: () => serving.batchingShare },
  'gpu-idle-while-queued': { cause: 'batching_limit', share: () => serving.idleShare },
  'cache-misses': { cause: 'cache_misses', share: () => serving.cacheShare },
  'kv-cache-full': { cause: 'kv_cache_full', share: () => serving.fullCacheShare },
  'replica-unlike-peers': { cause: 'slow_replica', share: () => serving.replicaShare },
  'long-prompts-block': { cause: 'long_prompts', share: () => serving.tokensShare },
  'slow-tool': { cause: 'slow_tool', share: () => serving.toolShare },
  'client-cancellations': { cause: 'client_cancellations', share: () => 0 },
  'cold-start': { cause: 'cold_start', share: () => serving.coldStartShare },
  'autoscaler-lag': { cause: 'autoscaler_lag', share: () => serving.scaleLagShare },
  'token-shift': { cause: 'longer_requests', share: () => serving.tokensShare },
};

export const causeOf = ({ figures }: ServingCondition): ServingCause => meanings[figures.rule].cause;
export const shareOf = ({ figures, weight = 1 }: ServingCondition): number => weight * meanings[figures.rule].share();

/** Requests come from outside: no device makes them longer. */
export const isOfRequests = (cause: string): boolean => cause === 'longer_requests' || cause === 'long_prompts';
export const mayBeEffect = (condition: ServingCondition): boolean => !isOfRequests(causeOf(condition));

/**
 * How much of an impact longer requests of one origin can be, 0 to 1: all of it for those requests and for who sends them; for the service, as
 * far as all of its requests together became longer.
 */
function effectOf(
  { figures }: ServingCondition,
  { service, parts }: Pick<ImpactWindow, 'service' | 'parts'>,
  graph: Pick<EntityGraph, 'node'>,
): number {
  if (figures.rule !== 'token-shift' || figures.origin === null) return 1;
  const { origin, mean, mean_before } = figures;
  const isOwn = parts.some(({ kind, name }) => (kind === 'tenant' || kind === 'model') && origin[kind] === name);
  if (isOwn || graph.node(service)?.id === origin.caller) return 1;
  return Math.max(0, Math.min(1, (mean / mean_before - 1) / serving.longerInFull));
}

/**
 * What changed in the serving of models with the onset of an impact, of the service or of one that it calls; strongest first. What
 * began earlier and still holds counts the less the earlier it began: an impact is seen late where it grows slowly.
 */
export function conditionsAt(
  conditions: readonly ServingCondition[],
  window: Pick<ImpactWindow, 'service' | 'onset_earliest_ns' | 'onset_ns' | 'parts'>,
  graph: Pick<EntityGraph, 'calleesOf' | 'node'>,
): ServingCondition[] {
  const near_ns = nanoseconds(serving.onsetSeconds);
  const callees = graph.calleesOf(window.service);
  const weightOf = ({ start_ns, end_ns }: ServingCondition): number => {
    const early_s = Number(window.onset_earliest_ns - near_ns - start_ns) / 1e9;
    if (early_s <= 0) return start_ns <= window.onset_ns + near_ns && end_ns >= window.onset_earliest_ns ? 1 : 0;
    return end_ns >= window.onset_ns ? Math.max(0, 1 - early_s / serving.lastingSeconds) : 0;
  };
  return conditions
    .filter(({ service, isNew }) => isNew && (service === window.service || callees.has(service)))
    .map((condition) => ({ ...condition, weight: weightOf(condition) * effectOf(condition, window, graph) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => shareOf(b) - shareOf(a));
}
