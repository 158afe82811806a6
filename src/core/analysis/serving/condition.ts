import type { MissingLayer } from '../../../model/incident/finding.ts';
import type { ServingQuantity } from '../../../model/telemetry/serving-attributes.ts';
import type { RequestOrigin } from './request-origin.ts';
import type { ServiceSeries } from './service-series.ts';

/** A figure that was not recorded is null. Shares in percent, times in seconds. */
export type ServingFigures =
  | {
      readonly rule: 'gpu-idle-while-queued';
      readonly busy: number;
      readonly busy_before: number | null;
      readonly waiting: number;
      /** Replicas with a queue of their own, whose mean `waiting` is. */
      readonly queues: number;
    }
  | {
      readonly rule: 'batch-underfilled';
      readonly fill: number;
      readonly fill_before: number | null;
      /** Requests. */
      readonly batch: number | null;
      readonly limit: number | null;
      /** The limit is only the largest batch that was recorded. */
      readonly isSeen: boolean;
      /** Replicas that are named; 0: none. */
      readonly replicas: number;
      readonly waiting: number;
      /** Replicas with a queue of their own, whose mean `waiting` is. */
      readonly queues: number;
    }
  | {
      readonly rule: 'cache-misses';
      readonly hits: number;
      readonly hits_before: number;
    }
  | {
      readonly rule: 'kv-cache-full';
      readonly usage: number;
      readonly usage_before: number | null;
      readonly preemptions: number | null;
      readonly waiting: number | null;
    }
  | {
      readonly rule: 'replica-unlike-peers';
      readonly replica: string;
      readonly own: number;
      readonly usual: number;
      readonly peers: number;
      /** Without the time in the queue. */
      readonly isServed: boolean;
    }
  | {
      readonly rule: 'token-shift';
      readonly of: 'input' | 'output';
      /** A usual request of the origin. */
      readonly tokens: number;
      readonly tokens_before: number;
      /** null: of all requests. */
      readonly origin: RequestOrigin | null;
      /** Mean of all requests, however long those of the origin are. */
      readonly mean: number;
      readonly mean_before: number;
    }
  | {
      readonly rule: 'long-prompts-block';
      /** Of the longest prompt, and of a usual one. */
      readonly longest: number;
      readonly usual: number;
      readonly waiting: number;
    }
  | {
      readonly rule: 'slow-tool';
      /** null: calls of all tools together, none is named. */
      readonly tool: string | null;
      readonly took: number;
      readonly took_before: number;
      readonly calls: number;
    }
  | {
      readonly rule: 'client-cancellations';
      readonly cancelled: number;
      readonly requests: number;
      readonly share: number;
      readonly share_before: number;
    }
  | {
      readonly rule: 'cold-start';
      readonly starts: number;
      readonly took: number;
      readonly took_before: number;
    }
  | {
      readonly rule: 'autoscaler-lag';
      /** Replicas, on average. */
      readonly wanted: number;
      readonly wanted_before: number;
      readonly ready: number;
      /** Those that exist, because those that are ready were not recorded. */
      readonly isCurrent: boolean;
      /** As many as the autoscaler may run: no more are wanted although requests wait. */
      readonly isAtLimit: boolean;
      readonly seconds: number;
      readonly waiting: number | null;
    };

export type ServingRuleId = ServingFigures['rule'];

/** A time in which a service served its model unlike it should, or unlike before. */
export interface ServingCondition {
  /** Canonical. */
  readonly service: number;
  /** null: several, or unknown. */
  readonly model: string | null;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly figures: ServingFigures;
  readonly evidence: readonly { readonly quantity: ServingQuantity; readonly refs: readonly string[] }[];
  /** Empty: all that the rule needs was recorded. */
  readonly missing: readonly MissingLayer[];
  /** The recording shows it otherwise before: only then may it be why something changed. */
  readonly isNew: boolean;
  /** For an impact it counts by this share, 0 to 1, because it began long before; undefined: 1. */
  readonly weight?: number;
}

/** One way to serve a model badly, and how it is found. */
export interface ServingRule {
  readonly id: ServingRuleId;
  readonly find: (series: ServiceSeries) => ServingCondition[];
}

/** Not a number: not recorded. */
export const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
