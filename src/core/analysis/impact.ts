import type { CorrelateOptions, Impact } from '../../model/incident.ts';
import type { Measurements } from './measurements.ts';
import { known, median, spread } from './statistics.ts';

/** A service doing worse than its own normal; indexes point into its {@link Measurements}. */
export interface ImpactWindow {
  readonly service: number;
  readonly measurements: Measurements;
  readonly baseline: Baseline;
  readonly first: number;
  readonly last: number;
  /** First anomalous measurement. */
  readonly onset_ns: bigint;
  /** The last normal one: the true onset lies between the two. */
  readonly onset_earliest_ns: bigint;
  readonly end_ns: bigint;
}

export interface Baseline {
  readonly p99: number;
  readonly error_rate: number;
  readonly throughput: number;
  readonly points: number;
}

/** The seed's rule: twice the baseline is an anomaly, and half of it for throughput. */
const TIMES_WORSE = 2;
/** Error rates below one percent are never an impact, whatever the baseline. */
const ERROR_FLOOR_PERCENT = 1;
/** Anomalies this close are one window; sparser measurements raise it to one and a half of their interval. */
const MERGE_SECONDS = 30;
/** Noise that reaches twice the baseline must also be this many robust deviations away from it. */
const DEVIATIONS = 5;
/** A baseline older than this is re-learnt, so that a slow drift over hours is not an incident. */
const BASELINE_AGE_SECONDS = 3600;

export function findImpacts(measured: Measurements, options: CorrelateOptions): ImpactWindow[] {
  const { time_ns } = measured;
  if (time_ns.length < 2) return [];
  const mergeGap = BigInt(Math.round(Math.max(MERGE_SECONDS, 1.5 * medianInterval(time_ns)) * 1e9));
  const windows: ImpactWindow[] = [];
  let historyFrom = 0;
  let baseline = learn(measured, historyFrom, time_ns.length, options);
  let open: { first: number; last: number } | undefined;
  const close = (): void => {
    if (!open) return;
    windows.push(toWindow(measured, baseline, open));
    historyFrom = open.last + 1;
    open = undefined;
  };
  for (let i = 0; i < time_ns.length; i++) {
    const now = time_ns[i] as bigint;
    if (open && now - (time_ns[open.last] as bigint) > mergeGap) close();
    if (!open && now - (time_ns[historyFrom] as bigint) > BigInt(BASELINE_AGE_SECONDS) * 1_000_000_000n) {
      historyFrom = firstAtOrAfter(time_ns, now - BigInt(BASELINE_AGE_SECONDS) * 1_000_000_000n);
      baseline = learn(measured, historyFrom, i, options);
    }
    if (isAnomaly(measured, i, baseline)) open = { first: open?.first ?? i, last: i };
  }
  close();
  return windows;
}

interface Learnt extends Baseline {
  readonly p99Noise: number;
  readonly throughputNoise: number;
}

/**
 * Normal is the median of the first `options.baseline` seconds of undisturbed history: what comes right before an
 * onset may already be its slow beginning. With fewer than three points there, all of the history counts. A
 * recording that opens inside an incident is noticed because the rest of it is much better than its start.
 */
function learn(measured: Measurements, from: number, to: number, options: CorrelateOptions): Learnt {
  const { time_ns, p99, error_rate, throughput } = measured;
  const limit = (time_ns[from] as bigint) + BigInt(Math.round(options.baseline * 1e9));
  let end = from;
  while (end < to && (time_ns[end] as bigint) < limit) end++;
  const points = end - from >= 3 ? end : Math.min(to, Math.max(end, from + 3));
  const start = { p99: median(p99.subarray(from, points)), error: median(error_rate.subarray(from, points)), rps: median(throughput.subarray(from, points)) };
  const whole = { p99: median(p99), error: median(error_rate), rps: median(throughput) };
  const startsInside = time_ns.length >= 8 && (start.p99 > 1.5 * whole.p99 || start.rps < whole.rps / 1.5);
  const base = startsInside ? whole : start;
  return {
    p99: base.p99, error_rate: base.error, throughput: base.rps, points: points - from,
    p99Noise: spread([...p99].filter((value) => value < TIMES_WORSE * base.p99)),
    throughputNoise: spread([...throughput].filter((value) => value > base.rps / TIMES_WORSE)),
  };
}

function isAnomaly(measured: Measurements, i: number, baseline: Learnt): boolean {
  const p99 = measured.p99[i] as number;
  const errors = measured.error_rate[i] as number;
  const throughput = measured.throughput[i] as number;
  const noise = (value: number): number => (Number.isNaN(value) ? 0 : value);
  const slow = p99 > TIMES_WORSE * baseline.p99 && p99 > baseline.p99 + DEVIATIONS * noise(baseline.p99Noise);
  const failing = errors > ERROR_FLOOR_PERCENT && errors > TIMES_WORSE * noise(baseline.error_rate);
  const starved = throughput < baseline.throughput / TIMES_WORSE && throughput < baseline.throughput - DEVIATIONS * noise(baseline.throughputNoise);
  return slow || failing || starved;
}

function toWindow(measured: Measurements, learnt: Learnt, { first, last }: { first: number; last: number }): ImpactWindow {
  const { p99, error_rate, throughput, points } = learnt;
  const onset_ns = measured.time_ns[first] as bigint;
  return {
    service: measured.service, measurements: measured, first, last,
    baseline: { p99, error_rate, throughput, points },
    onset_ns, onset_earliest_ns: measured.time_ns[first - 1] ?? onset_ns, end_ns: measured.time_ns[last] as bigint,
  };
}

/** The figures of a window, against its baseline. `throughput_peak_rps` is the lowest: the worst, as for the others. */
export function describeImpact(window: ImpactWindow, end_ns: bigint, start_ns: bigint, gpuRate: number | null): Impact {
  const { measurements, baseline, first, last } = window;
  const worst = (column: Float64Array, pick: (...values: number[]) => number): number => {
    const values = column.subarray(first, last + 1).filter((value) => !Number.isNaN(value));
    return values.length === 0 ? Number.NaN : pick(...values);
  };
  const peak = worst(measurements.p99, Math.max);
  const firstP99 = measurements.p99[first] as number;
  const firstRate = measurements.throughput[first] as number;
  const change = (value: number, base: number): number | null => known(((value - base) / base) * 100);
  return {
    p99_baseline_ms: known(baseline.p99),
    p99_peak_ms: known(peak),
    p99_change_percent: change(peak, baseline.p99),
    p99_first_anomaly_ms: known(firstP99),
    p99_first_change_percent: change(firstP99, baseline.p99),
    error_rate_baseline_percent: known(baseline.error_rate, 2),
    error_rate_peak_percent: known(worst(measurements.error_rate, Math.max), 2),
    error_rate_first_anomaly_percent: known(measurements.error_rate[first] as number, 2),
    throughput_baseline_rps: known(baseline.throughput),
    throughput_peak_rps: known(worst(measurements.throughput, Math.min)),
    throughput_first_anomaly_rps: known(firstRate),
    throughput_first_change_percent: change(firstRate, baseline.throughput),
    estimated_cost_impact_usd: gpuRate === null ? null : known((gpuRate * Number(end_ns - start_ns)) / 3.6e12, 2),
  };
}

function medianInterval(time_ns: readonly bigint[]): number {
  return median(time_ns.slice(1).map((time, i) => Number(time - (time_ns[i] as bigint)) / 1e9));
}

function firstAtOrAfter(times: readonly bigint[], time: bigint): number {
  const found = times.findIndex((candidate) => candidate >= time);
  return found < 0 ? times.length - 1 : found;
}
