import type { Resident } from './day-capture.ts';

/** Memory is taken and given back in waves; what is left between them is what grows. */
const BLOCK_MS = 15_000;

/** Bytes per millisecond: Theil and Sen's slope of block medians, and the ends of its 95 % interval (Kendall's variance). */
export interface Growth {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
  readonly blocks: number;
}

/** @returns null for fewer than four blocks */
export function growthOf(samples: readonly Resident[]): Growth | null {
  const blocks = new Map<number, Resident[]>();
  for (const sample of samples) {
    const block = Math.floor((sample.at_ms - (samples[0]?.at_ms ?? 0)) / BLOCK_MS);
    blocks.set(block, [...(blocks.get(block) ?? []), sample]);
  }
  const points = [...blocks].map(
    ([block, own]) => [block * BLOCK_MS, middleOf(own.map(({ bytes }) => bytes))] as const,
  );
  const n = points.length;
  if (n < 4) return null;
  const slopes = points
    .flatMap(([x, y], i) => points.slice(i + 1).map(([otherX, otherY]) => (otherY - y) / (otherX - x)))
    .sort((a, b) => a - b);
  const width = 1.96 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const at = (place: number) => slopes[Math.max(0, Math.min(slopes.length - 1, Math.round(place)))] as number;
  return {
    slope: middleOf(slopes),
    low: at((slopes.length - width) / 2 - 1),
    high: at((slopes.length + width) / 2),
    blocks: n,
  };
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}
