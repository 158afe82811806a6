import type { ServingCondition, ServingRule } from '../../serving/condition.ts';
import type { ServiceSeries } from '../../serving/service-series.ts';
import { autoscalerLag } from './autoscaler-lag.ts';
import { batchUnderfilled } from './batch-underfilled.ts';
import { cacheMisses } from './cache-misses.ts';
import { clientCancellations } from './client-cancellations.ts';
import { coldStart } from './cold-start.ts';
import { gpuIdleWhileQueued } from './gpu-idle-while-queued.ts';
import { kvCacheFull } from './kv-cache-full.ts';
import { longPromptsBlock } from './long-prompts-block.ts';
import { replicaUnlikePeers } from './replica-unlike-peers.ts';
import { slowTool } from './slow-tool.ts';
import { tokenShift } from './token-shift.ts';

export const servingRules: readonly ServingRule[] = [
  batchUnderfilled,
  gpuIdleWhileQueued,
  cacheMisses,
  kvCacheFull,
  replicaUnlikePeers,
  tokenShift,
  longPromptsBlock,
  slowTool,
  clientCancellations,
  coldStart,
  autoscalerLag,
];

/** Everything in the serving of models that a rule finds. */
export const servingConditions = (all: readonly ServiceSeries[]): ServingCondition[] =>
  all.flatMap((series) => servingRules.flatMap(({ find }) => find(series)));
