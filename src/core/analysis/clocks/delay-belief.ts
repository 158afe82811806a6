import type { PairKind } from './pair-kind.ts';
import { clocks } from './parameters.ts';

/** Sufficient statistics of delays for a log-normal distribution. */
export interface DelaySums {
  readonly count: number;
  /** Sum of the logarithms, and of their squares. */
  readonly total: number;
  readonly squares: number;
  /** Log penalty of delays below the range of the kind; 0 if all are within it. */
  readonly short: number;
}

/** Grid of typical delays within a range. */
const STEPS = 48;
const LN_2PI = Math.log(2 * Math.PI);

/** Prior and posterior of the delays of one kind in this cluster. */
export class DelayBelief {
  private readonly span: number;
  private readonly typical: readonly number[];
  /**
   * Devices of one cluster are similar, to an unknown degree: scatter of the logarithm of a delay. More scatter is treated as
   * uniform over the logarithm of the range.
   */
  private readonly scatters: readonly number[];
  /** Logarithms of beliefs, by scatter and typical delay; the last: uniform over the range. */
  private readonly beliefs: Float64Array;

  constructor({ shortest_s, high_s }: Pick<PairKind, 'shortest_s' | 'high_s'>) {
    const low = Math.log(shortest_s);
    this.span = Math.max(1e-6, Math.log(high_s) - low);
    this.typical = Array.from({ length: STEPS }, (_, i) => low + ((i + 0.5) / STEPS) * this.span);
    this.scatters = [clocks.sameModelScatter, clocks.clusterScatter, clocks.mixedScatter];
    const laws = this.scatters.length * STEPS;
    this.beliefs = new Float64Array(laws + 1).fill(Math.log((1 - clocks.evenDelayProbability) / laws));
    this.beliefs[laws] = Math.log(clocks.evenDelayProbability);
  }

  /** Natural logarithm of the density of such delays. */
  logDensity(sums: DelaySums): number {
    // Density of the logarithm divided by the delay gives the density of the delay.
    return logSum(this.weighed(sums)) - sums.total + sums.short;
  }

  /** Updates with delays that are known because both clocks are: one set of them, or several with equal probability. */
  learn(readings: readonly DelaySums[]): void {
    const weighed = readings.map((sums) => this.weighed(sums));
    const joined = this.beliefs.map((_, i) => logSum(Float64Array.from(weighed, (one) => one[i]!)));
    const whole = logSum(joined);
    joined.forEach((value, i) => {
      this.beliefs[i] = value - whole;
    });
  }

  private weighed({ count, total, squares }: DelaySums): Float64Array {
    const found = new Float64Array(this.beliefs.length);
    this.scatters.forEach((scatter, k) => {
      this.typical.forEach((typical, i) => {
        const away = squares - 2 * typical * total + count * typical ** 2;
        const density = -0.5 * (away / scatter ** 2 + count * (LN_2PI + 2 * Math.log(scatter)));
        found[k * STEPS + i] = this.beliefs[k * STEPS + i]! + density;
      });
    });
    const last = found.length - 1;
    found[last] = this.beliefs[last]! - count * Math.log(this.span);
    return found;
  }
}

/** Log of a sum from the logs of its terms. */
export function logSum(terms: Float64Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const term of terms) if (term > highest) highest = term;
  if (highest === Number.NEGATIVE_INFINITY) return highest;
  let sum = 0;
  for (const term of terms) sum += Math.exp(term - highest);
  return highest + Math.log(sum);
}
