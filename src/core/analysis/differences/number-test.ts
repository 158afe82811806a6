import { rankLimit, studentTail } from '../software/significance.ts';

/** Ranks of values, one per cluster, ties have their mean rank. */
export interface RankSums {
  /** Values on each side. */
  readonly region: number;
  readonly baseline: number;
  /** Sum of the ranks of the region's values, counted from 1. */
  readonly ranks: number;
  /** Sum over ties of t^3 - t. */
  readonly ties: number;
}

/** Cliff's delta (N. Cliff, Psychological Bulletin 114, 1993): probability that a value of the region is greater minus that it is less. */
export function cliffsDelta({ region, baseline, ranks }: RankSums): number {
  return (2 * (ranks - (region * (region + 1)) / 2)) / (region * baseline) - 1;
}

/** Two-sided probability of such ranks by chance (Mann and Whitney), with a lower bound for few values. */
export function rankChance(sums: RankSums): number {
  const { region, baseline, ties } = sums;
  if (region === 0 || baseline === 0) return 1;
  const all = region + baseline;
  const variance = ((region * baseline) / 12) * (all + 1 - (all > 1 ? ties / (all * (all - 1)) : 0));
  if (variance <= 0) return 1;
  const z = (Math.abs(cliffsDelta(sums)) * region * baseline) / 2 / Math.sqrt(variance);
  return Math.min(1, Math.max(2 * studentTail(z, Math.max(1, all - 2)), 2 * rankLimit(region, baseline)));
}

/** With more values the normal approximation is as accurate, and fast. */
const MOST_EXACT = 40;

/** The ranks of two sides, and the probability of such ranks by chance: exact for few values, including ties. */
export function rankTest(region: readonly number[], baseline: readonly number[]): RankSums & { readonly p: number } {
  const all = [
    ...region.map((value) => ({ value, inside: true })),
    ...baseline.map((value) => ({ value, inside: false })),
  ];
  const groups = [...Map.groupBy(all, ({ value }) => value)].sort(([a], [b]) => a - b).map(([, group]) => group);
  const doubled: number[] = [];
  let [inside, ties] = [0, 0];
  for (const group of groups) {
    // Twice the mean rank of a tie is an integer.
    const rank = 2 * doubled.length + group.length + 1;
    inside += rank * group.filter((one) => one.inside).length;
    ties += group.length ** 3 - group.length;
    for (const _ of group) doubled.push(rank);
  }
  const sums = { region: region.length, baseline: baseline.length, ranks: inside / 2, ties };
  const p = all.length > MOST_EXACT ? rankChance(sums) : exactChance(doubled, region.length, inside);
  return { ...sums, p };
}

/**
 * Share of all selections of ranks whose sum is as far from the expected one, in both directions; counted by
 * sums instead of one by one (B. Streitberg and J. Röhmel, Statistical Software Newsletter 12, 1986).
 */
function exactChance(ranks: readonly number[], count: number, sum: number): number {
  const most = ranks.reduce((all, rank) => all + rank, 0);
  const ways = Array.from({ length: count + 1 }, () => new Float64Array(most + 1));
  (ways[0] as Float64Array)[0] = 1;
  ranks.forEach((rank, at) => {
    for (let chosen = Math.min(count, at + 1); chosen > 0; chosen--) {
      const [fewer, one] = [ways[chosen - 1] as Float64Array, ways[chosen] as Float64Array];
      for (let total = most; total >= rank; total--) one[total] = one[total]! + fewer[total - rank]!;
    }
  });
  const expected = (count * most) / ranks.length;
  const far = Math.abs(sum - expected) - 1e-6;
  const [asFar, every] = (ways[count] as Float64Array).reduce(
    ([some, all], way, total) => [some + (Math.abs(total - expected) >= far ? way : 0), all + way] as const,
    [0, 0] as readonly [number, number],
  );
  return asFar / every;
}
