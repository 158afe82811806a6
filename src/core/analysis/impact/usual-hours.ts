import { median } from '../statistics.ts';
import { firstAtOrAfter, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** Of a window, what is compared. */
interface Window {
  /** Indexes of its measurements. */
  readonly first: number;
  readonly last: number;
  readonly measurements: Measurements;
}

interface Range {
  readonly of: Measurements;
  readonly first: number;
  readonly last: number;
}

const DAY_NS = 86_400_000_000_000n;
const QUARTER_NS = 900_000_000_000n;
/** The hour of a habit is not exact: a batch begins when the one before has ended. */
const SHIFTS = [-2n, -1n, 0n, 1n, 2n].map((quarters) => quarters * QUARTER_NS);

/**
 * Whether a slow window, or one with few requests, is no worse than the service is at that time of most other days: load and nightly
 * work come by the clock. Failed requests are an incident however often they come.
 * @param normal of normal days at any date
 */
export function isUsual({ measurements, first, last }: Window, normal?: Measurements): boolean {
  const window = { of: measurements, first, last };
  if (meanError(window) > impact.errorFloorPercent) return false;
  const days = [measurements, ...(normal ? [normal] : [])].flatMap((of) => otherDays(window, of));
  const alike = days.filter((ranges) => ranges.some((range) => isAsBad(range, window)));
  return days.length >= impact.usualDays && alike.length >= impact.usualDaysShare * days.length;
}

/** Per other day that covers this time, its measurements at that time and around it. */
function otherDays({ of: own, first, last }: Range, of: Measurements): Range[][] {
  const { time_ns } = of;
  const [from, to] = [own.time_ns[first]!, own.time_ns[last]!];
  if (time_ns.length === 0) return [];
  const since = (time: bigint): bigint => (time - from) / DAY_NS;
  const days: Range[][] = [];
  for (let day = since(time_ns[0]!) - 1n; day <= since(time_ns.at(-1)!) + 1n; day++) {
    if (of === own && day === 0n) continue;
    const ranges = SHIFTS.flatMap((shift): Range[] => {
      const start = firstAtOrAfter(time_ns, from + day * DAY_NS + shift);
      const end = firstAtOrAfter(time_ns, to + day * DAY_NS + shift + 1n) - 1;
      const isCovered = end - start + 1 >= impact.usualCoverage * (last - first + 1);
      return isCovered ? [{ of, first: start, last: end }] : [];
    });
    if (ranges.length > 0) days.push(ranges);
  }
  return days;
}

const levelOf = ({ of, first, last }: Range, field: 'p50' | 'p95' | 'p99' | 'throughput'): number =>
  median([...of[field].subarray(first, last + 1)].filter((value) => !Number.isNaN(value)));

/** Percent; 0 where it is unknown. */
const meanError = ({ of, first, last }: Range): number => {
  const known = of.error_rate.subarray(first, last + 1).filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
};

/** Whether another day was as slow, and had as few requests; what is unknown of the window is not compared. */
function isAsBad(other: Range, window: Range): boolean {
  const isAsSlow = (['p50', 'p95', 'p99'] as const).every((field) => {
    const level = levelOf(window, field);
    return Number.isNaN(level) || levelOf(other, field) * impact.slightlyWorseTimes >= level;
  });
  const rate = levelOf(window, 'throughput');
  return isAsSlow && (Number.isNaN(rate) || levelOf(other, 'throughput') <= impact.slightlyWorseTimes * rate);
}
