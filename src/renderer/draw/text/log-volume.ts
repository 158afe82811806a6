import type { LogTemplate } from '../../../model/contract/index.ts';

/** Severity numbers of OpenTelemetry, the worst first; unknown ones are among the others. */
export const volumeLevels = [
  { id: 'error', from: 17 },
  { id: 'warn', from: 13 },
  { id: 'other', from: 0 },
] as const;
export type VolumeLevel = (typeof volumeLevels)[number]['id'];

export interface LogVolume {
  /** Lines per bucket, by level. */
  readonly counts: Readonly<Record<VolumeLevel, readonly number[]>>;
  /** Most lines of a bucket, all levels together; at least 1. */
  readonly most: number;
  readonly totals: Readonly<Record<VolumeLevel, number>>;
}

/** How much was logged over time, each template by its worst line. */
export function logVolume(templates: readonly LogTemplate[]): LogVolume {
  const buckets = templates[0]?.counts.length ?? 0;
  const empty = (): number[] => Array<number>(buckets).fill(0);
  const counts = { error: empty(), warn: empty(), other: empty() };
  for (const { severity, counts: own } of templates) {
    const level = volumeLevels.find(({ from }) => severity >= from) ?? volumeLevels[2];
    for (const [at, count] of own.entries()) counts[level.id][at] = (counts[level.id][at] ?? 0) + count;
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
