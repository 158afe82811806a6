import type { Measurements } from './measurement-table.ts';

/** What is normal of a service, as far as it is needed to tell what is not. */
export interface Normal {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** The slowest measurement of the undisturbed history. */
  readonly p99Highest: number;
  readonly error_rate: number;
  readonly throughput: number;
  readonly p50Noise: number;
  readonly p99Noise: number;
  readonly throughputNoise: number;
  /** Measurements that it was learnt from. */
  readonly points: number;
}

/** First and last measurement. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/** The seed's rule: twice the baseline is an anomaly, and half of it for throughput. */
export const TIMES_WORSE = 2;
/** Error rates below one percent are never an impact, whatever the baseline. */
export const ERROR_FLOOR_PERCENT = 1;
/** Noise that reaches twice the baseline must also be this many robust deviations away from it. */
const DEVIATIONS = 5;
/** Fewer normal measurements do not tell how far one may stray. */
export const KNOWN_POINTS = 6;
/**
 * Less than twice is an anomaly, too, when it stays: the milder, the longer in a row. Deviations are robust ones; `known` is
 * how many normal measurements they must rest on.
 */
const STEADY = [
  { times: 1.5, deviations: 7, points: 4, lasts_s: 0, known: 0 },
  { times: 1.25, deviations: 8, points: 8, lasts_s: 0, known: 0 },
  // Where a service is measured once a minute, minutes are few measurements: so few need a normal that is well known.
  { times: 1.5, deviations: 20, points: 3, lasts_s: 100, known: KNOWN_POINTS },
] as const;
/** Below this many requests a p99 is one request. */
export const FEW_REQUESTS = 200;
const SMALL_SAMPLE_P95 = 1.5;
/** Of few requests each measurement proves little; this many in a row that are slower than any before prove something. */
const IN_A_ROW = 3;
const ROW_TIMES = 1.25;
/** Slow by itself or in a row: {@link RARELY} is shared. */
const TESTS = 2;
/** Windows that chance makes of a service's usual slowness, per recording, are rarer than this. */
const RARELY = 0.05;
/** Below this many, a median is a handful of requests. */
const FEW_FOR_MEDIAN = 20;
/** One failed request of fifty is chance, not an incident: rarer than this among thousands of intervals looked at. */
const CHANCE = 1e-6;
/** Even a service without a single error so far is granted this rate, percent. */
const USUAL_ERRORS_AT_LEAST = 0.2;

/** Whether a measurement is, by itself or with its neighbours, worse than normal. */
export function isAnomaly(measured: Measurements, i: number, baseline: Normal): boolean {
  return (
    isSlow(measured, i, baseline) ||
    isFailing(measured, i, baseline) ||
    isStarved(measured, i, baseline) ||
    isSteady(measured, i, baseline) ||
    isInARow(measured, i, baseline)
  );
}

function isStarved(measured: Measurements, i: number, baseline: Normal): boolean {
  const throughput = measured.throughput[i] as number;
  if (!(throughput < baseline.throughput / TIMES_WORSE)) return false;
  if (!(throughput < baseline.throughput - DEVIATIONS * (baseline.throughputNoise || 0))) return false;
  const requests = measured.requests[i] as number;
  if (!(requests < FEW_REQUESTS) || throughput === 0) return true;
  // Where four requests come instead of twelve, chance may have sent eight elsewhere.
  return poissonBelow(requests, (requests * baseline.throughput) / throughput) < CHANCE;
}

/** Whether a measurement belongs to a run of them in which most requests, or the slowest, took clearly longer than usual. */
const isSteady = (measured: Measurements, i: number, baseline: Normal): boolean =>
  STEADY.some((rule) => runsOn(measured, i, { baseline, rule }));

function runsOn(
  measured: Measurements,
  i: number,
  { baseline, rule }: { readonly baseline: Normal; readonly rule: (typeof STEADY)[number] },
): boolean {
  const { times, deviations, points, lasts_s, known } = rule;
  if (baseline.points < known) return false;
  const isAbove = (value: number, usual: number, noise: number): boolean =>
    value > times * usual && value > usual + deviations * (noise || 0);
  const worse = (k: number): boolean => {
    const requests = measured.requests[k] as number;
    if (requests < FEW_FOR_MEDIAN) return false;
    if (isAbove(measured.p50[k] as number, baseline.p50, baseline.p50Noise)) return true;
    return !(requests < FEW_REQUESTS) && isAbove(measured.p99[k] as number, baseline.p99, baseline.p99Noise);
  };
  if (!worse(i)) return false;
  let [from, to] = [i, i];
  while (to - from + 1 < points && from > 0 && worse(from - 1)) from--;
  while (to - from + 1 < points && to + 1 < measured.time_ns.length && worse(to + 1)) to++;
  const span_s = Number((measured.time_ns[to] as bigint) - (measured.time_ns[from] as bigint)) / 1e9;
  return to - from + 1 >= points && span_s >= lasts_s;
}

/** Of few requests, slower than any measurement before. */
function isHigh(measured: Measurements, i: number, { p99, p99Highest }: Normal): boolean {
  const value = measured.p99[i] as number;
  return (measured.requests[i] as number) < FEW_REQUESTS && value > ROW_TIMES * p99 && value > p99Highest;
}

/**
 * Whether a measurement of few requests belongs to a run of high ones that chance would hardly make: had all of the high ones
 * of the recording fallen anywhere, so many would hardly ever lie side by side.
 */
function isInARow(measured: Measurements, i: number, baseline: Normal): boolean {
  const high = (k: number): boolean => isHigh(measured, k, baseline);
  if (!high(i)) return false;
  const all = measured.time_ns.length;
  let [first, last] = [i, i];
  while (first > 0 && high(first - 1)) first--;
  while (last + 1 < all && high(last + 1)) last++;
  const count = last - first + 1;
  if (count < IN_A_ROW) return false;
  return all * (countOf(all, high) / all) ** count <= RARELY / TESTS;
}

function countOf(all: number, is: (i: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < all; i++) if (is(i)) count++;
  return count;
}

function isSlow(measured: Measurements, i: number, baseline: Normal): boolean {
  const p99 = measured.p99[i] as number;
  if (!(p99 > TIMES_WORSE * baseline.p99 && p99 > baseline.p99 + DEVIATIONS * (baseline.p99Noise || 0))) return false;
  // Of few requests the p99 is the slowest single one; then the p95 must have moved as well.
  const few = (measured.requests[i] as number) < FEW_REQUESTS;
  return !few || (measured.p95[i] as number) > SMALL_SAMPLE_P95 * baseline.p95;
}

/**
 * Whether a service that serves few requests at a time was slow no more often than it is anyway: of few requests the
 * p99 is one of them, and some are slow on any day. As many slow measurements as the window has must be expected less
 * than {@link RARELY} times in the recording, by how often the service is as slow outside of the window.
 */
export function isChance(measured: Measurements, stretch: Stretch, baseline: Normal): boolean {
  let count = 0;
  for (let i = stretch.first; i <= stretch.last; i++) {
    if (!((measured.requests[i] as number) < FEW_REQUESTS)) return false;
    if (isFailing(measured, i, baseline) || isStarved(measured, i, baseline)) return false;
    if (isSteady(measured, i, baseline) || isInARow(measured, i, baseline)) return false;
    if (isSlow(measured, i, baseline)) count++;
  }
  const all = measured.time_ns.length;
  const others = countOf(all, (i) => (i < stretch.first || i > stretch.last) && isSlow(measured, i, baseline));
  // One more than was seen: what was never seen is not impossible.
  const rate = (others + 1) / (all - (stretch.last - stretch.first + 1) + 1);
  return all * rate ** count > RARELY;
}

function isFailing(measured: Measurements, i: number, baseline: Normal): boolean {
  const errors = measured.error_rate[i] as number;
  const usual = baseline.error_rate || 0;
  if (!(errors > ERROR_FLOOR_PERCENT && errors > TIMES_WORSE * usual)) return false;
  const requests = measured.requests[i] as number;
  if (Number.isNaN(requests)) return true;
  const expected = (requests * Math.max(usual, USUAL_ERRORS_AT_LEAST)) / 100;
  return poissonTail(Math.round((requests * errors) / 100), expected) < CHANCE;
}

/** Probability of `count` or more events where `mean` are expected. */
const poissonTail = (count: number, mean: number): number => Math.max(0, 1 - poissonBelow(count - 1, mean));

/** Probability of `count` events or fewer where `mean` are expected. */
function poissonBelow(count: number, mean: number): number {
  let term = Math.exp(-mean);
  let sum = 0;
  for (let k = 0; k <= count; k++) {
    sum += term;
    term *= mean / (k + 1);
  }
  return sum;
}
