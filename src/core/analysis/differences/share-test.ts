import { binomialTail } from '../software/significance.ts';

/**
 * Frequency of a value on both sides. Rows come in clusters (spans of one trace on one side, log lines of one second)
 * that resemble each other; x is a cluster's rows with the value, n all of its rows.
 */
export interface ShareCounts {
  /** Rows with the value. */
  readonly region: number;
  readonly baseline: number;
  /** Sums over the clusters with the value: of x squared, and of x times n. */
  readonly squares: number;
  readonly products: number;
}

export interface ShareTotals {
  /** All rows. */
  readonly region: number;
  readonly baseline: number;
  /** Sum over all clusters of n squared. */
  readonly squares: number;
}

/**
 * Two-sided probability of shares at least this different if the side of a cluster is chance. Counts are reduced to the effective
 * number of independent rows (J. N. K. Rao and A. J. Scott, "A simple method for the analysis of clustered binary data",
 * Biometrics 48, 1992): by the variance of clusters around the common share, never less than that of single rows. A thousand
 * spans of one trace count as one. Given the total, the count in the region is binomial; scaled counts keep the exact tails if
 * few rows have the value.
 */
export function shareChance(value: ShareCounts, all: ShareTotals): number {
  const rows = all.region + all.baseline;
  const found = value.region + value.baseline;
  if (found === 0 || found === rows || all.region === 0 || all.baseline === 0) return 1;
  const share = found / rows;
  const clustered = value.squares - 2 * share * value.products + share * share * all.squares;
  const variance = Math.max(clustered, found * (1 - share));
  const scale = found / variance;
  // A value of most rows is tested by the rows without it, which are few.
  const isCommon = share > 0.5;
  const inside = isCommon ? all.region - value.region : value.region;
  const total = isCommon ? rows - found : found;
  const scaled = isCommon ? total / variance : scale;
  const chance = all.region / rows;
  const [k, n] = [inside * scaled, total * scaled];
  const more = binomialTail(k, n, chance);
  const fewer = binomialTail(n - k, n, 1 - chance);
  return Math.min(1, 2 * Math.min(more, fewer));
}
