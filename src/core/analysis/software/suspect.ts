import type { TypedEvidence } from '../../../model/incident/incident.ts';
import { servingCauses } from '../serving/causes.ts';

/** Evidence of one layer about an entity. */
export interface Finding {
  /** Canonical entity. */
  readonly key: number;
  /** Kind of degradation: becomes the `type` of the hypothesis. */
  readonly type: SuspectType;
  readonly layer: 'service' | 'trace' | 'step' | 'log' | 'metric' | 'serving' | 'start' | 'complaint';
  /** Log-odds, natural; the sum of the evidence. */
  readonly weight: number;
  readonly evidence: readonly TypedEvidence[];
  /** The span name, log template or metric that it is about; null: the service as a whole. */
  readonly span: string | null;
  readonly template: string | null;
  readonly metric: string | null;
  /** Pod, instance or host, if only one of several is affected. */
  readonly instance: string | null;
  /** In software, that log lines state: `certificate`, `credentials`, `quota`, `configuration`, `code`; '' for none. */
  readonly reason: string;
}

export const suspectTypes = [
  ...servingCauses,
  'service_latency',
  'service_errors',
  'service_throughput',
  'service_unreachable',
  'service_step_missing',
  'service_restarted',
  'log_template',
  'metric_shift',
] as const;
export type SuspectType = (typeof suspectTypes)[number];

export const finding = (parts: Pick<Finding, 'key' | 'type' | 'layer' | 'evidence'> & Partial<Finding>): Finding => ({
  span: null,
  template: null,
  metric: null,
  instance: null,
  reason: '',
  weight: parts.evidence.reduce((sum, { weight }) => sum + weight, 0),
  ...parts,
});
