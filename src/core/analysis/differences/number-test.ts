import { rankLimit, studentTail } from '../software/significance.ts';

/** Ranks of values, one per cluster, ties sharing their middle one. */
export interface RankSums {
  /** Values on each side. */
  readonly region: number;
  readonly baseline: number;
  /** Sum of the ranks of the region's values, counted from 1. */
  readonly ranks: number;
  /** Sum over ties of t^3 - t. */
  readonly ties: number;
}

/** Cliff's delta (N. Cliff, Psychological Bulletin 114, 1993): how much likelier a value of the region is the greater one. */
export function cliffsDelta({ region, baseline, ranks }: RankSums): number {
  return (2 * (ranks - (region * (region + 1)) / 2)) / (region * baseline) - 1;
}

/** Two-sided probability of such ranks by chance (Mann and Whitney), never below what so few values can prove. */
export function rankChance(sums: RankSums): number {
  const { region, baseline, ties } = sums;
  if (region === 0 || baseline === 0) return 1;
  const all = region + baseline;
  const variance = ((region * baseline) / 12) * (all + 1 - (all > 1 ? ties / (all * (all - 1)) : 0));
  if (variance <= 0) return 1;
  const z = (Math.abs(cliffsDelta(sums)) * region * baseline) / 2 / Math.sqrt(variance);
  return Math.min(1, Math.max(2 * studentTail(z, Math.max(1, all - 2)), 2 * rankLimit(region, baseline)));
}
