import type { Evidence } from '../../../model/incident.ts';
import { round } from '../statistics.ts';

/** Something a layer has to say about an entity. */
export interface Finding {
  /** Canonical entity. */
  readonly key: number;
  /** What kind of trouble: becomes the hypothesis' `type`. */
  readonly type: SuspectType;
  readonly layer: 'service' | 'trace' | 'step' | 'log' | 'metric';
  /** Log-odds, natural; the sum of the evidence. */
  readonly weight: number;
  readonly evidence: readonly Evidence[];
  /** The span name, log template or metric that it is about; null: the service as a whole. */
  readonly span: string | null;
  readonly template: string | null;
  readonly metric: string | null;
  /** Pod, instance or host, when the trouble is confined to one of several. */
  readonly instance: string | null;
}

export const suspectTypes = [
  'service_latency',
  'service_errors',
  'service_throughput',
  'service_unreachable',
  'service_step_missing',
  'log_template',
  'metric_shift',
] as const;
export type SuspectType = (typeof suspectTypes)[number];

export const finding = (parts: Pick<Finding, 'key' | 'type' | 'layer' | 'evidence'> & Partial<Finding>): Finding => ({
  span: null,
  template: null,
  metric: null,
  instance: null,
  weight: parts.evidence.reduce((sum, { weight }) => sum + weight, 0),
  ...parts,
});

/** One line of evidence; the sign follows from the weight. */
export const line = (weight: number, text: string, refs: readonly string[] = []): Evidence => {
  const rounded = round(weight, 3);
  return { sign: rounded > 0 ? 'for' : rounded < 0 ? 'against' : 'neutral', weight: rounded, text, refs: [...refs] };
};

/** A number for a sentence: three significant digits, no exponent. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number(value.toFixed(Math.min(digits, 12))));
}

export const milliseconds = (value: number): string => `${figure(value)} ms`;

export function names(list: readonly string[]): string {
  if (list.length <= 3) return list.join(', ');
  return `${list.slice(0, 3).join(', ')} and ${list.length - 3} more`;
}
