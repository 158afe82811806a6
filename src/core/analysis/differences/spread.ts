import type { Spread } from '../../../model/contract/differences.ts';
import type { SpreadFact } from '../../store/facts/reader.ts';
import { quantile } from '../statistics.ts';

/** Bars of each side, as in difference-points.sql. */
const BINS = 16;
/** With an upper end so many times the lower one, bars are equally wide in the logarithm. */
const LOG_FROM = 50;
const OUTER = 0.01;

const isLog = (low: number, high: number): boolean => low > 0 && high >= LOG_FROM * low;

/** @param bins `{0=12, 3=1}` */
function countsOf(bins: string | null): number[] {
  const counts = Array<number>(BINS).fill(0);
  for (const [, bin, count] of (bins ?? '').matchAll(/(\d+)=(\d+)/g)) counts[Number(bin)] = Number(count);
  return counts;
}

/** As the queries count them. */
export const spreadOfFact = (fact: SpreadFact): Spread => ({
  from: fact.low,
  to: fact.high,
  is_log: isLog(fact.low, fact.high),
  region: { counts: countsOf(fact.region_bins), p10: fact.region_p10, p90: fact.region_p90 },
  baseline: { counts: countsOf(fact.baseline_bins), p10: fact.baseline_p10, p90: fact.baseline_p90 },
});

/** The same of values that are at hand; null: one side has none. */
export function spreadOfValues(region: readonly number[], baseline: readonly number[]): Spread | null {
  if (region.length === 0 || baseline.length === 0) return null;
  // Of each side: a few values of one would lie beyond what a thousand of the other reach.
  const from = Math.min(quantile(region, OUTER), quantile(baseline, OUTER));
  const to = Math.max(quantile(region, 1 - OUTER), quantile(baseline, 1 - OUTER));
  const is_log = isLog(from, to);
  const placeOf = (value: number): number => {
    if (to <= from) return 0;
    const share = is_log ? Math.log(Math.max(value, from) / from) / Math.log(to / from) : (value - from) / (to - from);
    return Math.min(BINS - 1, Math.max(0, Math.floor(BINS * share)));
  };
  const side = (values: readonly number[]) => {
    const counts = Array<number>(BINS).fill(0);
    for (const value of values) counts[placeOf(value)]!++;
    return { counts, p10: quantile(values, 0.1), p90: quantile(values, 0.9) };
  };
  return { from, to, is_log, region: side(region), baseline: side(baseline) };
}
