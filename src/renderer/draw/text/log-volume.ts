import type { LogFacets, LogLevel } from '../../../model/contract/index.ts';

/** The worst first; unknown ones are among the others. */
export const volumeLevels = [{ id: 'error' }, { id: 'warn' }, { id: 'other' }] as const;
export type VolumeLevel = (typeof volumeLevels)[number]['id'];

export interface LogVolume {
  /** Lines per bucket, by level. */
  readonly counts: Readonly<Record<VolumeLevel, readonly number[]>>;
  /** Most lines of a bucket, all levels together; at least 1. */
  readonly most: number;
  readonly totals: Readonly<Record<VolumeLevel, number>>;
}

const volumeLevel = (level: LogLevel): VolumeLevel =>
  level === 'error' || level === 'fatal' ? 'error' : level === 'warn' ? 'warn' : 'other';

/** How much was logged over time. */
export function logVolume(levels: LogFacets['levels']): LogVolume {
  const buckets = levels[0]?.counts.length ?? 0;
  const empty = (): number[] => Array<number>(buckets).fill(0);
  const counts = { error: empty(), warn: empty(), other: empty() };
  for (const { level, counts: own } of levels) {
    const sums = counts[volumeLevel(level)];
    for (const [at, count] of own.entries()) sums[at] = (sums[at] ?? 0) + count;
  }
  const sums = counts.other.map((other, at) => other + counts.warn[at]! + counts.error[at]!);
  const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
  const totals = { error: total(counts.error), warn: total(counts.warn), other: total(counts.other) };
  return { counts, most: Math.max(1, ...sums), totals };
}

/** The bars of a level as one path; worse levels are below the others. */
export function levelPath(
  { counts, most }: LogVolume,
  level: VolumeLevel,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const below = volumeLevels.slice(
    0,
    volumeLevels.findIndex(({ id }) => id === level),
  );
  const step = width / Math.max(1, counts[level].length);
  const unit = height / most;
  return counts[level]
    .map((count, at) => {
      const base = height - below.reduce((sum, { id }) => sum + (counts[id][at] ?? 0), 0) * unit;
      const bar = Math.max(1, step - 1).toFixed(1);
      return count === 0
        ? ''
        : `M${(at * step).toFixed(1)} ${base.toFixed(1)}h${bar}v${(-count * unit).toFixed(1)}h-${bar}z`;
    })
    .join('');
}
