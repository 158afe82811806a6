import type { Mechanism } from '../causality/mechanisms.ts';
import { causality } from '../causality/parameters.ts';
import { clocks } from './parameters.ts';

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
  const shortest = low_s > 0 ? low_s : Math.max(high_s / causality.delaySpan, clocks.shortestDelaySeconds);
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
    scatter_s: Math.max(clocks.leastScatterSeconds, clocks.clusterScatterShare * deviation),
    bias_s: Math.max(clocks.leastScatterSeconds, deviation),
  };
}

/**
 * One event in two data sources; undefined for generic types. One source is always a little later than the other, which no
 * number of pairs can distinguish from a clock offset.
 */
export function twinOf(type: string): PairKind | undefined {
  if (UNSPECIFIC.has(type)) return undefined;
  return {
    name: `${type} (two recorders)`,
    cause: type,
    effect: type,
    relation: 'same',
    isTwin: true,
    low_s: -clocks.twinSeconds,
    high_s: clocks.twinSeconds,
    shortest_s: clocks.twinScatterSeconds,
    typical_s: 0,
    scatter_s: clocks.twinScatterSeconds,
    bias_s: clocks.twinScatterSeconds,
  };
}
