import { SIGMAS_95 } from '../statistics.ts';
import { notices } from './parameters.ts';

/** A straight line through values, as robust as a median. */
export interface Trend {
  readonly slope_per_s: number;
  /** 95 %. */
  readonly slope_low_per_s: number;
  readonly slope_high_per_s: number;
  /** Value of the line at time 0. */
  readonly level: number;
  /** Standard score of the Mann-Kendall test: excess of rising over falling pairs. */
  readonly score: number;
}

/**
 * Theil-Sen line with Sen's interval of its slope (P. K. Sen, JASA 63, 1968) and the Mann-Kendall score.
 *
 * @param at_s ascending, 0 is the present
 * @returns null for too few values
 */
export function trendOf(at_s: readonly number[], values: readonly number[]): Trend | null {
  const n = at_s.length;
  if (n < notices.leastValues) return null;
  const slopes: number[] = [];
  let rising = 0;
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const [from, to] = [values[i]!, values[j]!];
      rising += Math.sign(to - from);
      const seconds = at_s[j]! - at_s[i]!;
      if (seconds > 0) slopes.push((to - from) / seconds);
    }
  slopes.sort((a, b) => a - b);
  const deviation = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const reach = SIGMAS_95 * deviation;
  const at = (place: number): number => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(place)))]!;
  const slope = at((slopes.length - 1) / 2);
  const levels = values.map((value, i) => value - slope * at_s[i]!).sort((a, b) => a - b);
  return {
    slope_per_s: slope,
    slope_low_per_s: at((slopes.length - reach) / 2 - 1),
    slope_high_per_s: at((slopes.length + reach) / 2),
    level: levels[levels.length >> 1]!,
    score: (rising - Math.sign(rising)) / deviation,
  };
}
