import { HighRows, lengthOf, type MeasurementRun, meanOf, runAround, runningCount } from './elevated-runs.ts';
import type { Measurements } from './measurement-table.ts';

/** Baseline of a service for anomaly detection. */
export interface Normal {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** The slowest measurement of the undisturbed history. */
  readonly p99Highest: number;
  readonly error_rate: number;
  readonly throughput: number;
  /** Requests of one measurement. */
  readonly requests: number;
  readonly p50Noise: number;
  readonly p95Noise: number;
  readonly p99Noise: number;
  readonly throughputNoise: number;
  /** Measurements that it was learnt from. */
  readonly points: number;
}

/** The seed's rule: twice the baseline is an anomaly, and half of it for throughput. */
export const TIMES_WORSE = 2;
/** Error rates below one percent are never an impact. */
export const ERROR_FLOOR_PERCENT = 1;
/** An anomaly must also be this many robust deviations from the baseline. */
const DEVIATIONS = 5;
/** Fewer normal measurements give no spread. */
export const KNOWN_POINTS = 6;
/**
 * A lasting increase below a factor of two is an anomaly, too: consecutive measurements, each at least this many times the
 * baseline and together {@link STAYING_TIMES} times, which is {@link STAYING_DEVIATIONS} robust deviations of such a mean. Two
 * measurements suffice if most requests are slower, five if only the slowest are, or three and more with the same total
 * increase; at most eight to each side are used.
 */
const RAISED_TIMES = 1.15;
const STAYING_TIMES = 1.25;
const STAYING_DEVIATIONS = 8;
const MOST_REQUESTS_STAY = { least: 2, inAll: 2 };
const SLOWEST_STAY = { least: 3, inAll: 5 };
/** Fewer than five must span this much: summaries cover the past, so one slow client may raise several short measurements. */
const LEAST_SPAN_NS = 120_000_000_000n;
const STAYING_REACH = 8;
/** With fewer requests the p99 is a single request. */
export const FEW_REQUESTS = 200;
const SMALL_SAMPLE_P95 = 1.5;
/** With few requests a single measurement is weak evidence; this many consecutive ones, slower than any before, are significant. */
const IN_A_ROW = 3;
const ROW_TIMES = 1.25;
/** So are more measurements that are slower than most, with this increase of the mean. */
const LONG_ROW_TIMES = 1.4;
/** Slow alone or in a run: {@link RARELY} is shared; long runs get a small part, because there are many of them. */
const TESTS = 2;
const LONG_ROW_TESTS = 10;
/** Maximum expected number of windows by chance from typical slowness, per recording. */
const RARELY = 0.05;
/** Slowness or low throughput this often, and in more than this share of measurements, is typical. */
const HABIT = { times: 3, share: 0.05 };
/** With fewer requests the median is not reliable. */
const FEW_FOR_MEDIAN = 20;
/** With wide durations, half of twenty requests often take twice as long; half of forty almost never. */
const FEW_FOR_ONE_MEDIAN = 40;
/** One failed request of fifty is chance: significance over thousands of intervals. */
const CHANCE = 1e-6;
/** Minimum baseline error rate, percent. */
const MIN_NORMAL_ERROR_RATE = 0.2;
/** Neighbours to each side whose errors are added, because few requests are weak evidence. */
const COUNTED_TOGETHER = 5;
/** Request counts scatter by at least the square root of their number; values that scatter by less than half of it are no counts. */
const LEAST_SCATTER = 0.5;

/** Detects anomalies of a service against `normal`. Totals are computed once. */
export class Anomalies {
  private readonly measured: Measurements;
  private readonly normal: Normal;
  private readonly length: number;
  private oddUpTo: Uint32Array | undefined;
  private readonly staying: readonly Staying[];
  private readonly highest: HighRows;
  private readonly high: HighRows;

  constructor(measured: Measurements, normal: Normal) {
    this.measured = measured;
    this.normal = normal;
    this.length = measured.time_ns.length;
    const ofFew = (bound: number) => new HighRows(this.length, (i) => this.isOfFew(i) && measured.p99[i]! > bound);
    this.highest = ofFew(Math.max(ROW_TIMES * normal.p99, normal.p99Highest));
    this.high = ofFew(ROW_TIMES * normal.p99);
    this.staying = this.whatMayStay();
  }

  /** Metrics that are anomalous if the increase lasts, alone and with neighbours. */
  private whatMayStay(): Staying[] {
    const { measured, normal, length } = this;
    const isOfMany = (i: number): boolean => !(measured.requests[i]! < FEW_FOR_MEDIAN);
    const isOfVeryMany = (i: number): boolean => !this.isOfFew(i);
    const lasts = ({ first, last }: MeasurementRun): boolean =>
      measured.time_ns[last]! - measured.time_ns[first]! >= LEAST_SPAN_NS;
    const stay = (values: Float64Array, normalValue: number, noise: number, rule: StayingRule): Staying => {
      const isRaised = (i: number): boolean => values[i]! > RAISED_TIMES * normalValue && rule.isKnown(i);
      return { ...rule, values, normalValue, noise: noise || 0, rows: new HighRows(length, isRaised), isRaised, lasts };
    };
    const most = { ...MOST_REQUESTS_STAY, isKnown: isOfMany };
    const slowest = { ...SLOWEST_STAY, isKnown: isOfVeryMany };
    return [
      stay(measured.p50, normal.p50, normal.p50Noise, most),
      stay(measured.p95, normal.p95, normal.p95Noise, slowest),
      stay(measured.p99, normal.p99, normal.p99Noise, slowest),
    ];
  }

  /** Whether a measurement is anomalous, alone or with its neighbours. */
  has(i: number): boolean {
    return this.isOdd(i) || this.isSure(i);
  }

  /** Anomalous in a way that some services often are. */
  private isOdd(i: number): boolean {
    return this.isSlow(i) || this.isStarved(i);
  }

  /** Anomalous beyond chance, even with few requests. */
  private isSure(i: number): boolean {
    return this.isMostlySlow(i) || this.isFailing(i) || this.isSteady(i) || this.isInARow(i);
  }

  /**
   * Whether a service was slow, or had low throughput, no more often than usual. With few requests the p99 is a single request, and
   * some requests are always slow: the typical frequency comes from the recording outside the window, or only from before it if
   * that already shows the habit. The expected number of windows with as many anomalies must be below {@link RARELY} per
   * recording.
   */
  isChance({ first, last }: MeasurementRun): boolean {
    let count = 0;
    let isOfFew = true;
    for (let i = first; i <= last; i++) {
      if (this.isSure(i)) return false;
      if (this.isOdd(i)) count++;
      isOfFew &&= this.isOfFew(i) && !this.isStarved(i);
    }
    this.oddUpTo ??= runningCount(this.length, (i) => this.isOdd(i));
    const before = this.oddUpTo[first]!;
    const others = this.oddUpTo[this.length]! - count;
    // One more than observed (rule of succession).
    const rate = isOfFew ? (others + 1) / (this.length - (last - first + 1) + 1) : before / first;
    const isHabitual = isOfFew || (before >= HABIT.times && rate > HABIT.share);
    return isHabitual && this.length * rate ** count > RARELY;
  }

  private isOfFew(i: number): boolean {
    return this.measured.requests[i]! < FEW_REQUESTS;
  }

  private isSlow(i: number): boolean {
    const { measured, normal } = this;
    const p99 = measured.p99[i]!;
    if (!(p99 > TIMES_WORSE * normal.p99 && p99 > normal.p99 + DEVIATIONS * (normal.p99Noise || 0))) return false;
    // With few requests the p99 is the slowest one; then the p95, if known, must be raised as well.
    return !this.isOfFew(i) || !(measured.p95[i]! <= SMALL_SAMPLE_P95 * normal.p95);
  }

  /** Whether most requests took twice as long. */
  private isMostlySlow(i: number): boolean {
    const { measured, normal } = this;
    const p50 = measured.p50[i]!;
    if (measured.requests[i]! < FEW_FOR_ONE_MEDIAN) return false;
    return p50 > TIMES_WORSE * normal.p50 && p50 > normal.p50 + DEVIATIONS * (normal.p50Noise || 0);
  }

  /** Whether significantly more requests failed, in a measurement and adjacent failing ones. */
  private isFailing(i: number): boolean {
    const { error_rate, requests } = this.measured;
    const normalValue = this.normal.error_rate || 0;
    const above = (k: number): boolean => {
      const errors = error_rate[k]!;
      return errors > ERROR_FLOOR_PERCENT && errors > TIMES_WORSE * normalValue;
    };
    const { first, last } = runAround(i, COUNTED_TOGETHER, above);
    let [requestCount, failed] = [0, 0];
    for (let k = first; k <= last; k++) {
      requestCount += requests[k]!;
      failed += (requests[k]! * error_rate[k]!) / 100;
    }
    if (last < first || Number.isNaN(requestCount)) return first <= last;
    const expected = (requestCount * Math.max(normalValue, MIN_NORMAL_ERROR_RATE)) / 100;
    return failed > expected && poissonBound(Math.round(failed), expected) < CHANCE;
  }

  /** Whether significantly fewer requests came, in a measurement and adjacent low ones. */
  private isStarved(i: number): boolean {
    const { measured, normal } = this;
    const low = (k: number): boolean => measured.throughput[k]! < normal.throughput / TIMES_WORSE;
    const { first, last } = runAround(i, COUNTED_TOGETHER, low);
    if (last < first) return false;
    const noise = normal.throughputNoise || 0;
    if (!(measured.throughput[i]! < normal.throughput - DEVIATIONS * noise)) return false;
    // Four requests instead of twelve may be chance; the step rate of a job is no such count.
    const isCount =
      measured.from !== 'gauges' || noise / normal.throughput > LEAST_SCATTER / Math.sqrt(normal.requests);
    if (!isCount || Number.isNaN(normal.requests)) return true;
    const asked = measured.requests.subarray(first, last + 1).reduce((sum, requests) => sum + requests, 0);
    return poissonBound(asked, normal.requests * (last - first + 1)) < CHANCE;
  }

  /** Whether a measurement belongs to a run of them in which most requests, or the slowest, took longer than usual. */
  private isSteady(i: number): boolean {
    return this.normal.points >= KNOWN_POINTS && this.staying.some((staying) => staysRaised(i, staying));
  }

  /** Whether a measurement with few requests belongs to a run of high ones: short and higher than any before, or long. */
  private isInARow(i: number): boolean {
    const { highest, high, measured, normal } = this;
    const row = highest.at(i);
    if (lengthOf(row) >= IN_A_ROW && highest.expected(row) <= RARELY / TESTS) return true;
    const long = high.at(i);
    return meanOf(measured.p99, long) > LONG_ROW_TIMES * normal.p99 && high.expected(long) <= RARELY / LONG_ROW_TESTS;
  }
}

interface StayingRule {
  /** At least so many consecutive ones with a total increase as at {@link STAYING_TIMES}; fewer must be significant. */
  readonly least: number;
  readonly inAll: number;
  /** Whether a measurement rests on enough requests. */
  readonly isKnown: (i: number) => boolean;
}

interface Staying extends StayingRule {
  readonly values: Float64Array;
  readonly normalValue: number;
  readonly noise: number;
  readonly isRaised: (i: number) => boolean;
  /** Whether the slowest of them take long enough. */
  readonly lasts: (row: MeasurementRun) => boolean;
  readonly rows: HighRows;
}

function staysRaised(i: number, { values, normalValue, noise, least, inAll, lasts, isRaised, rows }: Staying): boolean {
  const row = runAround(i, STAYING_REACH, isRaised);
  const count = lengthOf(row);
  if (count < least || (count < inAll && !(lasts(row) && rows.expected(row) <= RARELY))) return false;
  const mean = meanOf(values, row);
  if (count * Math.log(mean / normalValue) < inAll * Math.log(STAYING_TIMES)) return false;
  return mean > STAYING_TIMES * normalValue && (mean - normalValue) * Math.sqrt(count) > STAYING_DEVIATIONS * noise;
}

/**
 * Upper bound of the probability of `count` events, or any further from `mean` (Chernoff): within a factor of ten for a handful
 * of events, and also valid for millions, where a sum of terms would underflow.
 */
const poissonBound = (count: number, mean: number): number =>
  Math.exp(count - mean - (count > 0 ? count * Math.log(count / mean) : 0));
