import type { CorrelateOptions, Harm, Impact, ServicePart } from '../../../model/incident/incident.ts';
import { nanoseconds } from '../../../model/time.ts';
import { binomialTail } from '../software/significance.ts';
import { known, median, spread } from '../statistics.ts';
import { Anomalies, hasEvenLatencies, isOfMostRequests, type Normal } from './anomaly.ts';
import type { MeasurementRun } from './elevated-runs.ts';
import { beyondUsual } from './hourly-baseline.ts';
import { firstAtOrAfter, type Measurements } from './measurement-table.ts';
import { medianInterval, type Onset, onsetAt } from './onset.ts';
import { impact } from './parameters.ts';
import { withoutRegularPauses } from './regular-pauses.ts';
import { findSlowSteps, findUnevenSteps, type SlowSteps } from './slow-steps.ts';
import { isUsual } from './usual-hours.ts';

/** An impact on a service; indexes point into its {@link Measurements}. */
export interface ImpactWindow extends Onset {
  readonly service: number;
  readonly measurements: Measurements;
  readonly baseline: Baseline;
  readonly first: number;
  readonly last: number;
  readonly end_ns: bigint;
  /** Its worst time: the highest p99, or without latencies the lowest throughput. */
  readonly peak_ns: bigint;
  /** Worst P99 over its baseline; NaN without latencies. */
  readonly times_worse: number;
  /** Specified by the investigator; the measurements alone show no impact. */
  readonly isStated: boolean;
  readonly harm: Harm;
  /** How many times as long a typical step of a job that is slowed takes; undefined of other harms. */
  readonly slowed_times?: number;
  /** Of a job that stalled: it did something after that; undefined: nothing shows it. */
  readonly wentOn?: boolean;
  /** Only these parts of the service, of which the first is measured; empty: the service as a whole. */
  readonly parts: readonly ServicePart[];
  /** Of the other parts. */
  readonly otherParts?: readonly Measurements[];
}

export interface Baseline {
  readonly p99: number;
  readonly error_rate: number;
  readonly throughput: number;
  readonly points: number;
  /** Of `means`, ms. */
  readonly mean?: number;
}

export interface FoundImpacts {
  readonly impacts: readonly ImpactWindow[];
  /** As bad as the service is at that time of most days. */
  readonly usual: readonly ImpactWindow[];
}

/** @param normal the same service on normal days at any date */
export function findAllImpacts(measured: Measurements, options: CorrelateOptions, normal?: Measurements): FoundImpacts {
  const { time_ns } = measured;
  // A stall is stated by its operations, not found in their rate.
  if (time_ns.length < 2 || measured.from === 'collectives') return { impacts: [], usual: [] };
  if (measured.from === 'steps') return { impacts: stepImpacts(measured, options), usual: [] };
  const { usual = [], impacts = [] } = Object.groupBy(requestImpacts(measured, options), (window) =>
    isUsual(window, normal) ? 'usual' : 'impacts',
  );
  const within = usual.flatMap((window) =>
    beyondUsual(window, normal, (table) => requestImpacts(table, options)).filter((one) => !isUsual(one, normal)),
  );
  return { impacts: [...impacts, ...within].sort((a, b) => a.first - b.first), usual };
}

/** As {@link findAllImpacts}, without what is usual. */
export const findImpacts = (
  measured: Measurements,
  options: CorrelateOptions,
  normal?: Measurements,
): readonly ImpactWindow[] => findAllImpacts(measured, options, normal).impacts;

/** Slow steps, and times in which there were fewer of them for another reason. */
function stepImpacts(measured: Measurements, options: CorrelateOptions): ImpactWindow[] {
  const slow = findSlowSteps(measured).map((steps) => slowWindow(measured, steps));
  const unknown = new Float64Array(measured.time_ns.length).fill(Number.NaN);
  const rates = { ...measured, p30: unknown, p50: unknown, p70: unknown, p95: unknown, p99: unknown };
  // Its first steps compile and fill caches; a job that never goes on after them has stalled.
  const isWarmingUp = ({ first, last }: ImpactWindow): boolean =>
    measured.requests.subarray(0, first).reduce((sum, steps) => sum + steps, 0) < impact.leastSteps &&
    last < measured.time_ns.length - 1;
  const overlaps = (some: readonly ImpactWindow[], one: ImpactWindow): boolean =>
    some.some((other) => one.first <= other.last && other.first <= one.last);
  const fewer = requestImpacts(rates, options)
    .filter((one) => !isWarmingUp(one) && !overlaps(slow, one))
    .map((one) => ({ ...one, measurements: measured }));
  const learnt = summarise(measured, 0, measured.time_ns.length);
  const uneven = findUnevenSteps(measured)
    .map((run) => toWindow(measured, learnt, run))
    .filter((one) => one.first > 0 && !overlaps([...slow, ...fewer], one));
  return [...slow, ...fewer, ...uneven].sort((a, b) => a.first - b.first);
}

function slowWindow(measured: Measurements, { first, last, earliest, usual, times }: SlowSteps): ImpactWindow {
  const learnt = summarise(measured, 0, first);
  const window = toWindow(measured, { ...learnt, p50: usual }, { first, last });
  const { onset_earliest_ns, previous_ns, causes_from_ns } = onsetAt(measured.time_ns, earliest);
  return { ...window, onset_earliest_ns, previous_ns, causes_from_ns, harm: 'slowed', slowed_times: times };
}

function requestImpacts(measured: Measurements, options: CorrelateOptions): ImpactWindow[] {
  const { time_ns } = measured;
  const interval_s = medianInterval(time_ns);
  const mergeGap = nanoseconds(Math.max(impact.mergeSeconds, impact.mergeIntervals * interval_s));
  const history_s = Math.max(impact.historySeconds, impact.historyIntervals * interval_s);
  const whole = time_ns.length >= impact.wholePoints ? summarise(measured, 0, time_ns.length) : undefined;
  const learn = (from: number, to: number): Learnt => learnFrom(measured, { from, to, whole }, options);
  const windows: ImpactWindow[] = [];
  let historyFrom = 0;
  let baseline = learn(historyFrom, time_ns.length);
  const isEven = hasEvenLatencies(measured);
  let anomalies = new Anomalies(measured, baseline, isEven);
  let open: MeasurementRun | undefined;
  const close = (): void => {
    if (!open) return;
    if (!anomalies.isChance(open, windows) && !anomalies.isDrift(open)) {
      const first = precursorStart(measured, open.first, { from: historyFrom, baseline });
      windows.push(toWindow(measured, baseline, { first, last: open.last }));
      historyFrom = Math.min(open.last + 1, time_ns.length - 1);
    }
    open = undefined;
  };
  for (let i = 0; i < time_ns.length; i++) {
    const now = time_ns[i]!;
    if (open && now - time_ns[open.last]! > mergeGap) close();
    if (!open && now - time_ns[historyFrom]! > nanoseconds(impact.relearnHistories * history_s)) {
      historyFrom = firstAtOrAfter(time_ns, now - nanoseconds(history_s));
      baseline = learn(historyFrom, i);
      anomalies = new Anomalies(measured, baseline, isEven);
    }
    if (anomalies.has(i)) open = { first: open?.first ?? i, last: i };
  }
  close();
  return withoutRegularPauses(windows.filter((one) => !isStart(one)));
}

/** Fewer requests alone from the first measurement on: the service, or its recorder, was being started. */
function isStart({ measurements, first, last, baseline }: ImpactWindow): boolean {
  if (first > 0 || last === measurements.time_ns.length - 1) return false;
  const rows = Array.from({ length: last + 1 }, (_, i) => i);
  return rows.every(
    (i) =>
      !(measurements.p99[i]! > impact.slightlyWorseTimes * baseline.p99) &&
      !(measurements.error_rate[i]! > Math.max(impact.errorFloorPercent, impact.timesWorse * baseline.error_rate)),
  );
}

/**
 * The window of a specified failure without a detected impact: from the first measurement that lies mostly after the time. An
 * impact that is too mild or too short for {@link findImpacts} may still be the reported problem.
 * @returns undefined if the service was not measured around that time
 */
export function statedImpact(
  measured: Measurements,
  at_ns: bigint,
  options: CorrelateOptions,
): ImpactWindow | undefined {
  const { time_ns } = measured;
  const interval = medianInterval(time_ns);
  const first = firstAtOrAfter(time_ns, at_ns + nanoseconds(interval / 2));
  const length = nanoseconds(Math.max(impact.statedSeconds, 2 * interval));
  const last = firstAtOrAfter(time_ns, (time_ns[first] ?? at_ns) + length) - 1;
  if (time_ns.length < 2 || first < 1 || last < first) return undefined;
  const whole = time_ns.length >= impact.wholePoints ? summarise(measured, 0, time_ns.length) : undefined;
  const baseline = learnFrom(measured, { from: 0, to: first, whole }, options);
  return { ...toWindow(measured, baseline, { first, last }), isStated: true };
}

/**
 * The onset including the precursor: if a service is half as slow again for a minute before it is twice as slow, the cause lies
 * before that minute.
 */
function precursorStart(
  measured: Measurements,
  first: number,
  { from, baseline }: { readonly from: number; readonly baseline: Learnt },
): number {
  const isElevated = (i: number): boolean => {
    const few = measured.requests[i]! < impact.fewRequests;
    const rate = measured.throughput[i]!;
    const noise = baseline.throughputNoise || 0;
    return (
      (isOff(measured.p50[i]!, baseline.p50, baseline.p50Noise) && isOfMostRequests(measured, baseline, i)) ||
      (!few && isOff(measured.p99[i]!, baseline.p99, baseline.p99Noise)) ||
      (!few &&
        rate < baseline.throughput / impact.slightlyWorseTimes &&
        rate < baseline.throughput - impact.precursorDeviations * noise)
    );
  };
  let at = first;
  if (baseline.points >= impact.knownPoints) while (at > from && isElevated(at - 1)) at--;
  return at;
}

const isOff = (value: number, normal: number, noise: number): boolean =>
  value > impact.slightlyWorseTimes * normal && value > normal + impact.precursorDeviations * (noise || 0);

type Learnt = Baseline & Normal;

/**
 * The baseline is learnt from the first `options.baseline` seconds of undisturbed history, because data right before an onset
 * may already be affected. A recording that begins inside an incident is detected by a much better later level.
 */
function learnFrom(
  measured: Measurements,
  { from, to, whole }: { readonly from: number; readonly to: number; readonly whole: Learnt | undefined },
  options: CorrelateOptions,
): Learnt {
  const limit = measured.time_ns[from]! + nanoseconds(options.baseline);
  const enough =
    from +
    Math.max(
      impact.fewestNormalPoints,
      Math.min(impact.mostNormalPoints, Math.floor(impact.normalShare * (to - from))),
    );
  const start = summarise(measured, from, Math.max(firstAtOrAfter(measured.time_ns, limit), Math.min(to, enough)));
  return whole && startsInside(start, whole) ? whole : start;
}

/** Fewer requests that were served as later ones are show no incident: later there was more to do. */
function startsInside(start: Learnt, whole: Learnt): boolean {
  if (start.p99 > impact.beginsInsideTimes * whole.p99) return true;
  const isServedAsLater =
    start.p99 <= impact.slightlyWorseTimes * whole.p99 &&
    !(start.error_rate > Math.max(impact.errorFloorPercent, impact.timesWorse * whole.error_rate));
  return start.throughput < whole.throughput / impact.beginsInsideTimes && !isServedAsLater;
}

function summarise(measured: Measurements, from: number, to: number): Learnt {
  const slice = (column: Float64Array): Float64Array => column.subarray(from, to);
  const failures = slice(measured.error_rate);
  // A request that fails at once is fast, and so is what remains when the slow ones fail.
  const highest = highestNormalError(failures);
  const isServed = (_: number, i: number): boolean => !(failures[i]! > highest);
  const served =
    failures.filter(isServed).length < impact.knownPoints
      ? slice
      : (column: Float64Array) => slice(column).filter(isServed);
  const latencies = (column: Float64Array): number[] => normalValues(served(column), 'low');
  const [p99, p50, p95] = [latencies(measured.p99), latencies(measured.p50), latencies(measured.p95)];
  const throughput = normalValues(slice(measured.throughput), 'high');
  return {
    p30: median(latencies(measured.p30)),
    p50: median(p50),
    p70: median(latencies(measured.p70)),
    p50Noise: spread(p50),
    p99: median(p99),
    p99Highest: served(measured.p99).reduce((most, value) => (value > most ? value : most), Number.NEGATIVE_INFINITY),
    p95: median(p95),
    p95Noise: spread(p95),
    error_rate: normalErrorRate(slice(measured.error_rate), slice(measured.requests)),
    throughput: median(throughput),
    requests: mean(slice(measured.requests)),
    points: to - from,
    p99Noise: spread(p99),
    throughputNoise: spread(throughput),
  };
}

/** Of known values; NaN if there are none. */
function mean(column: Float64Array): number {
  const values = column.filter((value) => !Number.isNaN(value));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Values within a factor of two of the centre of the good end. */
function normalValues(column: Float64Array, good: 'low' | 'high'): number[] {
  const sorted = column.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return [];
  const share = good === 'low' ? impact.goodShare : 1 - impact.goodShare;
  const centre = sorted[Math.round(share * (sorted.length - 1))]!;
  return [...sorted].filter((value) => value <= impact.timesWorse * centre && value >= centre / impact.timesWorse);
}

/** What the good end of error rates makes normal, percent: the floor where there are none. */
function highestNormalError(rates: Float64Array): number {
  const sorted = rates.filter((rate) => !Number.isNaN(rate)).sort();
  const centre = sorted[Math.round(impact.goodShare * (sorted.length - 1))] ?? 0;
  return Math.max(impact.errorFloorPercent, impact.timesWorse * centre);
}

/** With request counts, all errors over all requests: the median of rare errors would always be zero. */
function normalErrorRate(rates: Float64Array, requests: Float64Array): number {
  const highest = highestNormalError(rates);
  let total = 0;
  let errors = 0;
  for (let i = 0; i < rates.length; i++) {
    const rate = rates[i]!;
    if (Number.isNaN(rate) || (rate > highest && !isFewErrors(rate, requests[i]!, highest))) continue;
    total += requests[i]!;
    errors += (requests[i]! * rate) / 100;
  }
  if (Number.isNaN(total) || total === 0) return median([...rates].filter((rate) => rate <= highest));
  return (100 * errors) / total;
}

/** A bucket with few requests may contain an error and still be normal, but not more errors than a normal rate gives by chance. */
const isFewErrors = (rate: number, requests: number, highest: number): boolean =>
  requests < impact.fewRequests &&
  binomialTail(Math.round((requests * rate) / 100), Math.round(requests), highest / 100) > impact.normalErrorChance;

function toWindow(measured: Measurements, learnt: Learnt, { first, last }: MeasurementRun): ImpactWindow {
  const { p99, error_rate, throughput, points } = learnt;
  const isMean = measured.meanOf !== undefined;
  const worst = worstIndex(measured, first, last);
  return {
    service: measured.service,
    measurements: measured,
    first,
    last,
    baseline: { p99, error_rate, throughput, points, ...(isMean ? { mean: learnt.p50 } : {}) },
    ...onsetAt(measured.time_ns, first),
    end_ns: measured.time_ns[last]!,
    peak_ns: measured.time_ns[worst]!,
    times_worse: isMean ? measured.p50[worst]! / learnt.p50 : measured.p99[worst]! / p99,
    isStated: false,
    parts: [],
    harm: measured.ended_ns !== undefined && measured.time_ns[last]! > measured.ended_ns ? 'ended' : 'degraded',
  };
}

function worstIndex(measured: Measurements, first: number, last: number): number {
  const slowest = measured.meanOf ? measured.p50 : measured.p99;
  const badness = (i: number): number => slowest[i] || -(measured.throughput[i] || 0);
  let worst = first;
  for (let i = first; i <= last; i++) if (badness(i) > badness(worst)) worst = i;
  return worst;
}

/** Which measurement of a window is the worst in each figure, as an index; -1 if none has it. */
export function worstMeasurements({
  measurements,
  first,
  last,
}: Pick<ImpactWindow, 'measurements' | 'first' | 'last'>) {
  const worst = (column: Float64Array, sign: 1 | -1): number => {
    let found = -1;
    for (let i = first; i <= last; i++) {
      const value = column[i]!;
      if (Number.isNaN(value)) continue;
      if (found < 0 || sign * value > sign * column[found]!) found = i;
    }
    return found;
  };
  return {
    p99: worst(measurements.meanOf ? measurements.p50 : measurements.p99, 1),
    error_rate: worst(measurements.error_rate, 1),
    throughput: worst(measurements.throughput, -1),
  };
}

function meanFigures({ measurements, baseline, first }: ImpactWindow, worst: number): Pick<Impact, 'mean'> {
  const { meanOf, p50 } = measurements;
  if (meanOf === undefined) return {};
  const [usual, peak] = [baseline.mean ?? Number.NaN, p50[worst] ?? Number.NaN];
  return {
    mean: {
      of: meanOf,
      baseline_ms: known(usual),
      first_anomaly_ms: known(p50[first]!),
      peak_ms: known(peak),
      change_percent: known((peak / usual - 1) * 100),
    },
  };
}

/** Metrics of a window and its baseline. `throughput_peak_rps` is the lowest: the worst, as for the others. */
export function describeImpact(window: ImpactWindow, end_ns: bigint, start_ns: bigint, gpuRate: number | null): Impact {
  const { measurements, baseline, first } = window;
  const worst = worstMeasurements(window);
  const peak = measurements.p99[worst.p99] ?? Number.NaN;
  const firstP99 = measurements.p99[first]!;
  const firstRate = measurements.throughput[first]!;
  const change = (value: number, base: number): number | null => known(((value - base) / base) * 100);
  return {
    p99_baseline_ms: known(baseline.p99),
    p99_peak_ms: known(peak),
    p99_change_percent: change(peak, baseline.p99),
    p99_first_anomaly_ms: known(firstP99),
    p99_first_change_percent: change(firstP99, baseline.p99),
    error_rate_baseline_percent: known(baseline.error_rate, 2),
    error_rate_peak_percent: known(measurements.error_rate[worst.error_rate] ?? Number.NaN, 2),
    error_rate_first_anomaly_percent: known(measurements.error_rate[first]!, 2),
    throughput_baseline_rps: known(baseline.throughput),
    throughput_peak_rps: known(measurements.throughput[worst.throughput] ?? Number.NaN),
    throughput_first_anomaly_rps: known(firstRate),
    throughput_first_change_percent: change(firstRate, baseline.throughput),
    estimated_cost_impact_usd: gpuRate === null ? null : known((gpuRate * Number(end_ns - start_ns)) / 3.6e12, 2),
    ...meanFigures(window, worst.p99),
  };
}
