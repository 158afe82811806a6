import type { Difference } from '../../../model/contract/index.ts';

/** Both sides of one bar, as shares of their own side. */
export interface SpreadBar {
  readonly key: string;
  readonly region: number;
  readonly baseline: number;
  /** The value that the difference is about. */
  readonly isMain: boolean;
}

/** Pairs of bars: of a number along its scale, of a share by the values of its attribute. Empty: nothing is known but the two figures. */
export function spreadBars({ spread, values }: Pick<Difference, 'spread' | 'values'>): readonly SpreadBar[] {
  if (!spread)
    return values.map(({ value, region, baseline }, at) => ({ key: value, region, baseline, isMain: at === 0 }));
  const [inRegion, inBaseline] = [sum(spread.region.counts), sum(spread.baseline.counts)];
  return spread.region.counts.map((count, at) => ({
    key: String(at),
    region: count / Math.max(1, inRegion),
    baseline: (spread.baseline.counts[at] ?? 0) / Math.max(1, inBaseline),
    isMain: true,
  }));
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

interface Room {
  readonly width: number;
  readonly height: number;
}

/** The bars of one side as a path: the region's stand above the middle, the baseline's hang below it, on one scale. */
export function sidePath(
  bars: readonly SpreadBar[],
  side: 'region' | 'baseline',
  isMain: boolean,
  { width, height }: Room,
): string {
  const most = Math.max(...bars.flatMap(({ region, baseline }) => [region, baseline]), Number.MIN_VALUE);
  const step = Math.min(width / Math.max(1, bars.length), height * 1.5);
  const half = height / 2 - 0.5;
  const way = side === 'region' ? -1 : 1;
  const middle = height / 2 + way * 0.5;
  return bars
    .map((bar, at) => {
      if (bar.isMain !== isMain || bar[side] === 0) return '';
      // A rare value is seen, too.
      const tall = Math.max(1, (bar[side] / most) * (half - 0.5));
      return `M${(at * step).toFixed(1)} ${middle}h${Math.max(1, step - 1).toFixed(1)}v${(way * tall).toFixed(1)}h-${Math.max(1, step - 1).toFixed(1)}z`;
    })
    .join('');
}
