import type { TokenRequest } from '../../../model/contract/index.ts';

export interface GapBars {
  /** Of an SVG of 1000 by 100: a bar for each part of the answer, at the end of its longest gap. */
  readonly path: string;
  /** The longest of all, as wide as it lasts. */
  readonly peak: string;
  readonly highest_s: number;
}

const WIDTH = 1000;
const HEIGHT = 100;

/** From the start of the request to its end, from no time to the longest gap; null: nothing came twice. */
export function gapBars({ start_ns, end_ns, gap_ends_ns, gaps_s }: TokenRequest): GapBars | null {
  const highest_s = gaps_s.reduce((a, b) => Math.max(a, b), 0);
  if (highest_s === 0) return null;
  // The answer may end later than the request's own span.
  const length = Math.max(Number(end_ns - start_ns), gap_ends_ns.at(-1) ?? 1, 1);
  const x = (ns: number): string => ((WIDTH * ns) / length).toFixed(1);
  const y = (seconds: number): string => (HEIGHT * (1 - seconds / highest_s)).toFixed(1);
  const bars = Array.from(gaps_s, (gap, at) => `M${x(gap_ends_ns[at]!)} ${HEIGHT}V${y(gap)}`);
  const end = gap_ends_ns[gaps_s.indexOf(highest_s)]!;
  return { path: bars.join(''), peak: `M${x(end - highest_s * 1e9)} ${HEIGHT}V0H${x(end)}V${HEIGHT}Z`, highest_s };
}
