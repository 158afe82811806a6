import { existsSync, readFileSync } from 'node:fs';

/** What a process consists of at one moment, bytes. */
export interface Memory {
  readonly at_ms: number;
  readonly rss: number;
  /** What JavaScript's heaps take, of all threads. */
  readonly heap: number;
  /** What JavaScript holds outside of them. */
  readonly external: number;
  /** What the database says that it holds. */
  readonly database: number;
}

/** As `day-watch.ts` says it: of the first thread all, of others what is theirs. */
interface Said extends Partial<Memory> {
  readonly thread: number;
  readonly heap: number;
  readonly external: number;
}

/** What a capture that began then has said so far. */
export function memoryIn(file: string, from_ms: number): readonly Memory[] {
  if (!existsSync(file)) return [];
  const others = new Map<number, Said>();
  const all: Memory[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const said = JSON.parse(line) as Said;
    const { rss, database, at_ms } = said;
    if (rss === undefined || database === undefined || at_ms === undefined) {
      others.set(said.thread, said);
      continue;
    }
    const threads = [said, ...others.values()];
    const sum = (of: 'heap' | 'external') => threads.reduce((bytes, one) => bytes + one[of], 0);
    all.push({ at_ms: from_ms + at_ms, rss, heap: sum('heap'), external: sum('external'), database });
  }
  return all;
}

/** Memory is taken and given back in waves; blocks that are as long as most of them differ by what is left. */
const BLOCK_MS = 15_000;

/** Bytes per millisecond, and the ends of its 95 % interval. */
export interface Growth {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The least squares line through the medians of blocks. What lies above the line in one block does so in the next, so the interval is
 * Newey and West's with a bandwidth of a quarter of all blocks, and the critical value that Kiefer and Vogelsang give for that (2.72): it
 * holds also where the bandwidth is no small part of what was seen.
 *
 * @returns null for fewer than eight blocks
 */
export function growthOf(samples: readonly (readonly [at_ms: number, bytes: number])[]): Growth | null {
  const began = samples[0]?.[0] ?? 0;
  const blocks = Map.groupBy(samples, ([at_ms]) => Math.floor((at_ms - began) / BLOCK_MS));
  const points = [...blocks].map(([block, own]) => [block * BLOCK_MS, middleOf(own.map(([, bytes]) => bytes))] as const);
  const n = points.length;
  if (n < 8) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / n;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / spread;
  const scores = points.map(([x, y]) => (x - middleX) * (y - middleY - slope * (x - middleX)));
  const bandwidth = Math.ceil(n * BANDWIDTH);
  let variance = 0;
  for (let lag = 0; lag < bandwidth; lag++) {
    const weight = (lag === 0 ? 1 : 2) * (1 - lag / bandwidth);
    for (let at = lag; at < n; at++) variance += weight * (scores[at] as number) * (scores[at - lag] as number);
  }
  const width = (CRITICAL * Math.sqrt(Math.max(0, variance))) / spread;
  return { slope, low: slope - width, high: slope + width };
}

const BANDWIDTH = 0.25;
/** 1.96 + 2.9694 b + 0.4160 b² - 0.5324 b³ for Bartlett's weights and 95 %. */
const CRITICAL = 1.96 + 2.9694 * BANDWIDTH + 0.416 * BANDWIDTH ** 2 - 0.5324 * BANDWIDTH ** 3;

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}
