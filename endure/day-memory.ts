import { existsSync, readFileSync } from 'node:fs';

/** What a process consists of at one moment, bytes. */
export interface Memory {
  readonly at_ms: number;
  readonly rss: number;
  /** What JavaScript's heaps take, of all threads. */
  readonly heap: number;
  /** What JavaScript holds outside of them. */
  readonly external: number;
  /** Memory that the database reports. */
  readonly database: number;
}

/** As `day-watch.ts` reports it: all of the first thread, only their own of others. */
interface MemoryReport extends Partial<Memory> {
  readonly thread: number;
  readonly heap: number;
  readonly external: number;
}

/** Memory that the capture with this start has reported so far. */
export function memoryIn(file: string, from_ms: number): readonly Memory[] {
  if (!existsSync(file)) return [];
  const others = new Map<number, MemoryReport>();
  const all: Memory[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const report = JSON.parse(line) as MemoryReport;
    const { rss, database, at_ms } = report;
    if (rss === undefined || database === undefined || at_ms === undefined) {
      others.set(report.thread, report);
      continue;
    }
    const threads = [report, ...others.values()];
    const sum = (of: 'heap' | 'external') => threads.reduce((bytes, one) => bytes + one[of], 0);
    all.push({ at_ms: from_ms + at_ms, rss, heap: sum('heap'), external: sum('external'), database });
  }
  return all;
}

/** Memory is taken and given back in waves: what is left of them within a block is its median. */
const BLOCK_MS = 15_000;

/** Bytes per millisecond, and the ends of its 95 % interval. */
export interface Growth {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The least squares line through the medians of blocks. Neighbouring blocks are correlated, so fewer of them count:
 * by their first-order autocorrelation, which is biased towards too small after detrending (Kendall, 1954).
 *
 * @returns null for fewer than eight blocks
 */
export function growthOf(samples: readonly (readonly [at_ms: number, bytes: number])[]): Growth | null {
  const began = samples[0]?.[0] ?? 0;
  const blocks = Map.groupBy(samples, ([at_ms]) => Math.floor((at_ms - began) / BLOCK_MS));
  const points = [...blocks].map(
    ([block, own]) => [block * BLOCK_MS, middleOf(own.map(([, bytes]) => bytes))] as const,
  );
  const n = points.length;
  if (n < 8) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / n;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / spread;
  const rest = points.map(([x, y]) => y - middleY - slope * (x - middleX));
  const squares = rest.reduce((sum, one) => sum + one ** 2, 0);
  const seen = rest.slice(1).reduce((sum, one, at) => sum + one * rest[at]!, 0) / (squares || 1);
  const together = Math.max(0, Math.min(MOST_TOGETHER, seen + (2 + 4 * seen) / n));
  const fewer = (1 + together) / (1 - together);
  // Student's 97.5 % within a hundredth or two from four degrees of freedom on.
  const student = 1.96 + 2.9 / Math.max(3, n / fewer - 2);
  const width = student * Math.sqrt(((squares / (n - 2)) * fewer) / spread);
  return { slope, low: slope - width, high: slope + width };
}

/** Higher values cannot be distinguished from a trend. */
const MOST_TOGETHER = 0.97;

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
