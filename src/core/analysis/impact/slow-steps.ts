import { median, spread } from '../statistics.ts';
import { HighRows, lengthOf, type MeasurementRun, meanOf } from './elevated-runs.ts';
import type { Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** Measurements in which the typical step of a job takes longer than before. */
export interface SlowSteps extends MeasurementRun {
  /** The measurement before, which may already contain slow steps; else the same as `first`. */
  readonly earliest: number;
  /** The time of a typical step before, in ms. */
  readonly usual: number;
  /** How many times as long a typical step takes. */
  readonly times: number;
}

/** How much longer steps must take. */
interface Limits {
  /** Each of them, in times the usual one. */
  readonly each: number;
  /** A typical one of them, in times the usual one. */
  readonly typical: number;
  /** A typical one, in robust deviations from the usual one. */
  readonly deviations: number;
  /** Measurements in a row, at least. */
  readonly length: number;
}

const anyJob = (): Limits => ({
  each: impact.slightlyWorseTimes,
  typical: impact.lastingTimes,
  deviations: 0,
  length: impact.lastingIfMost,
});
/** A job whose steps hardly differ loses a tenth of its GPUs long before a step takes a quarter more time. */
const evenJob = (): Limits => ({
  each: impact.evenStepTimes,
  typical: impact.evenStepsTimes,
  deviations: impact.lastingDeviations,
  length: impact.lastingIfSlowest,
});

/**
 * Change points of the time of a step. Steps do the same work over and over, so their median is known from few of them, and a
 * pause between two steps (to save, to evaluate) is no part of it. What is slow from the beginning on never was faster: a job warms up.
 */
export function findSlowSteps(measurements: Measurements): SlowSteps[] {
  const clear = slowSteps(measurements, anyJob());
  return clear.length > 0 ? clear : slowSteps(measurements, evenJob());
}

function slowSteps({ p50, p99, requests }: Measurements, limits: Limits): SlowSteps[] {
  const rows = [...p50.keys()].filter((i) => p50[i]! > 0);
  const found: SlowSteps[] = [];
  const before: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const usual = usualOf(before, p50, limits);
    const isSlow = (i: number): boolean => p50[i]! > usual.least;
    if (before.length < impact.fewestNormalPoints || !isSlow(rows[at]!)) {
      before.push(rows[at]!);
      continue;
    }
    const end = endOfRun(rows, at, isSlow);
    const run = rows.slice(at, end + 1);
    const typical = median(run.map((i) => p50[i]!));
    const steps = run.reduce((sum, i) => sum + requests[i]!, 0);
    if (run.length >= limits.length && steps >= impact.leastPartRequests && typical >= usual.leastTypical) {
      const [first, previous] = [run[0]!, rows[at - 1]!];
      const earliest = p99[previous]! > usual.least ? previous : first;
      found.push({ first, last: run.at(-1)!, earliest, usual: usual.p50, times: typical / usual.p50 });
    } else before.push(...run);
    at = end;
  }
  return found;
}

interface Usual {
  readonly p50: number;
  /** A step that takes longer is slow. */
  readonly least: number;
  /** A typical one of slow steps takes so long. */
  readonly leastTypical: number;
}

/** Of the latest measurements without slow steps. */
function usualOf(before: readonly number[], p50: Float64Array, limits: Limits): Usual {
  const values = before.slice(-impact.historyIntervals).map((i) => p50[i]!);
  const [usual, deviation] = [median(values), spread(values)];
  return {
    p50: usual,
    least: Math.max(limits.each * usual, usual + impact.deviations * deviation),
    leastTypical: Math.max(limits.typical * usual, usual + limits.deviations * deviation),
  };
}

/** One measurement between two slow ones may be chance. */
function endOfRun(rows: readonly number[], from: number, isSlow: (i: number) => boolean): number {
  let end = from;
  for (let at = from + 1; at < rows.length && at <= end + 2; at++) if (isSlow(rows[at]!)) end = at;
  return end;
}

/**
 * Times in which single steps of a job take longer again and again, so that fewer are done, while a typical one is as fast as ever: a link
 * that flaps, a store that hangs. Regular long steps, to save or to evaluate, are too far apart to be in a row by chance.
 */
export function findUnevenSteps({ p95, throughput }: Measurements): MeasurementRun[] {
  const known = p95.filter((value) => value > 0);
  if (known.length < impact.fewestNormalPoints) return [];
  const usual = median([...known]);
  const least = Math.max(impact.lastingTimes * usual, usual + impact.deviations * spread([...known]));
  const uneven = new HighRows(p95.length, (i) => p95[i]! > least);
  const rate = median([...throughput].filter((value) => value > 0)) / impact.slightlyWorseTimes;
  const found: MeasurementRun[] = [];
  for (let i = 0; i < p95.length; i++) {
    const row = uneven.at(i);
    if (lengthOf(row) < impact.lastingIfSlowestLeast) continue;
    if (uneven.expectedByOthers(row) <= impact.chanceWindows && meanOf(throughput, row) < rate) found.push(row);
    i = row.last;
  }
  return found;
}
