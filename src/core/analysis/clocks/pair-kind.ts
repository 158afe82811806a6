import type { Mechanism } from '../causality/mechanisms.ts';

/** Delay model of two linked events. */
export interface PairKind {
  readonly name: string;
  readonly cause: string;
  readonly effect: string;
  readonly relation: Mechanism['relation'];
  /** One event in two data sources, not a cause and its effect. */
  readonly isTwin: boolean;
  /** The delay lies between these, in seconds. */
  readonly low_s: number;
  readonly high_s: number;
  /** Lower end of the log-uniform range; above zero. */
  readonly shortest_s: number;
  /** Middle of the delay. */
  readonly typical_s: number;
  /** Scatter of single delays around the typical delay in this cluster. */
  readonly scatter_s: number;
  /** Uncertainty of the typical delay in this cluster relative to `typical_s`; more pairs of one kind do not reduce it. */
  readonly bias_s: number;
}

/** Delays are log-uniform over their range; a range from zero begins at this share of its end. */
const LOG_SPAN = 30;
/** A kind with a wider range than this many seconds supports any shift. */
export const WIDEST_S = 120;
/**
 * Two data sources that record the same event: within this window of each other, one always a little later than the other,
 * which no number of pairs can distinguish from a clock offset.
 */
const TWIN = { window_s: 1, scatter_s: 0.05, bias_s: 0.05 } as const;
/** Generic types: two of them on one entity are not the same event. */
const UNSPECIFIC: ReadonlySet<string> = new Set([
  '',
  'bmc_event',
  'cloud_event',
  'health_check_failed',
  'health_check_passed',
  'kubernetes_event',
  'node_condition',
  'process_event',
  'snmp_trap',
  'ups_alarm',
]);

export function kindOfMechanism({ cause, effect, relation, delay_s: [low_s, high_s] }: Mechanism): PairKind {
  const shortest = low_s > 0 ? low_s : Math.max(high_s / LOG_SPAN, 1e-3);
  const span = Math.max(1e-9, Math.log(high_s / shortest));
  const mean = (high_s - shortest) / span;
  const variance = Math.max(0, (high_s ** 2 - shortest ** 2) / (2 * span) - mean ** 2);
  const deviation = Number.isFinite(variance) ? Math.sqrt(variance) : 0;
  return {
    name: `${cause} > ${effect} (${relation})`,
    cause,
    effect,
    relation,
    isTwin: false,
    low_s,
    high_s,
    shortest_s: shortest,
    typical_s: Math.sqrt(shortest * Math.max(shortest, high_s)),
    // Devices of one cluster are more similar than the range assumes.
    scatter_s: Math.max(0.01, deviation / 2),
    bias_s: Math.max(0.01, deviation),
  };
}

/** One event in two data sources; undefined for generic types. */
export function twinOf(type: string): PairKind | undefined {
  if (UNSPECIFIC.has(type)) return undefined;
  return {
    name: `${type} (two recorders)`,
    cause: type,
    effect: type,
    relation: 'same',
    isTwin: true,
    low_s: -TWIN.window_s,
    high_s: TWIN.window_s,
    shortest_s: TWIN.scatter_s,
    typical_s: 0,
    scatter_s: TWIN.scatter_s,
    bias_s: TWIN.bias_s,
  };
}
