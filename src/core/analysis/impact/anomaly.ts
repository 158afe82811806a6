import { HighRows, lengthOf, type MeasurementRun, meanOf, runAround, runningCount } from './elevated-runs.ts';
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
/** Error rates below one percent are never an impact, whatever the baseline. */
export const ERROR_FLOOR_PERCENT = 1;
/** Noise that reaches twice the baseline must also be this many robust deviations away from it. */
const DEVIATIONS = 5;
/** Fewer normal measurements do not tell how far one may stray. */
export const KNOWN_POINTS = 6;
/**
 * Less than twice is an anomaly, too, when it stays: measurements in a row, each so many times its usual value and all of them
 * together {@link STAYING_TIMES} times, which is {@link STAYING_DEVIATIONS} robust deviations of such a mean. Two of them do
 * where most requests are slower, five where only the slowest are, or three and more that are as much slower in all; more than
 * eight to either side are not looked at.
 */
const RAISED_TIMES = 1.15;
const STAYING_TIMES = 1.25;
const STAYING_DEVIATIONS = 8;
const MOST_REQUESTS_STAY = { least: 2, inAll: 2 };
const SLOWEST_STAY = { least: 3, inAll: 5 };
/** Fewer than five must span this much: summaries look back, so that one slow client may raise several measurements of seconds. */
const LEAST_SPAN_NS = 120_000_000_000n;
const STAYING_REACH = 8;
/** Below this many requests a p99 is one request. */
export const FEW_REQUESTS = 200;
const SMALL_SAMPLE_P95 = 1.5;
/** Of few requests each measurement proves little; this many in a row that are slower than any before prove something. */
const IN_A_ROW = 3;
const ROW_TIMES = 1.25;
/** So do more of them that are slower than most, when they are so much slower on average. */
const LONG_ROW_TIMES = 1.4;
/** Slow by itself or in a row: {@link RARELY} is shared, and a long row gets little of it, for there are many of them. */
const TESTS = 2;
const LONG_ROW_TESTS = 10;
/** Windows that chance makes of a service's usual slowness, per recording, are rarer than this. */
const RARELY = 0.05;
/** Who was slow, or rarely asked, so often, and in more than this share of measurements, is so as a habit. */
const HABIT = { times: 3, share: 0.05 };
/** Below this many, a median is a handful of requests. */
const FEW_FOR_MEDIAN = 20;
/** Half of twenty requests take twice as long on many a day, where durations spread; half of forty hardly ever. */
const FEW_FOR_ONE_MEDIAN = 40;
/** One failed request of fifty is chance, not an incident: rarer than this among thousands of intervals looked at. */
const CHANCE = 1e-6;
/** Even a service without a single error so far is granted this rate, percent. */
const MIN_NORMAL_ERROR_RATE = 0.2;
/** Neighbours whose errors are counted together, to either side: of few requests each proves little by itself. */
const COUNTED_TOGETHER = 5;
/** What counts requests scatters as their number does, by the square root of it, or more; what scatters by half of that counts none. */
const LEAST_SCATTER = 0.5;

/** Tells what of a service is not normal; `normal` is what is. Totals are counted once, whatever is asked. */
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

  /** What is raised when it stays so, by itself and together with its neighbours. */
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

  /** Whether a measurement is, by itself or with its neighbours, worse than normal. */
  has(i: number): boolean {
    return this.isOdd(i) || this.isSure(i);
  }

  /** Worse in a way that some services are on any day. */
  private isOdd(i: number): boolean {
    return this.isSlow(i) || this.isStarved(i);
  }

  /** Worse in a way that chance does not make, however few requests there are. */
  private isSure(i: number): boolean {
    return this.isMostlySlow(i) || this.isFailing(i) || this.isSteady(i) || this.isInARow(i);
  }

  /**
   * Whether a service was slow, or rarely asked, no more often than it is anyway. Of few requests the p99 is one of them, and some
   * are slow on any day: how often is told by all of the recording but the window; all else is told by what came before, where
   * that is so as a habit. As many odd measurements as the window has must be expected less than {@link RARELY} times in the
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
    // One more than was seen: what was never seen is not impossible.
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
    // Of few requests the p99 is the slowest single one; then the p95, where it is known, must have moved as well.
    return !this.isOfFew(i) || !(measured.p95[i]! <= SMALL_SAMPLE_P95 * normal.p95);
  }

  /** Whether most requests took twice as long. */
  private isMostlySlow(i: number): boolean {
    const { measured, normal } = this;
    const p50 = measured.p50[i]!;
    if (measured.requests[i]! < FEW_FOR_ONE_MEDIAN) return false;
    return p50 > TIMES_WORSE * normal.p50 && p50 > normal.p50 + DEVIATIONS * (normal.p50Noise || 0);
  }

  /** Whether more requests failed than chance would have it, in a measurement and the failing ones around it. */
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

  /** Whether fewer requests came than chance would have it, in a measurement and the low ones around it. */
  private isStarved(i: number): boolean {
    const { measured, normal } = this;
    const low = (k: number): boolean => measured.throughput[k]! < normal.throughput / TIMES_WORSE;
    const { first, last } = runAround(i, COUNTED_TOGETHER, low);
    if (last < first) return false;
    const noise = normal.throughputNoise || 0;
    if (!(measured.throughput[i]! < normal.throughput - DEVIATIONS * noise)) return false;
    // Where four requests come instead of twelve, chance may have sent eight elsewhere; a job's rate of steps is no such count.
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

  /** Whether a measurement belongs to a row of high ones of few requests, short and higher than any before, or long and high. */
  private isInARow(i: number): boolean {
    const { highest, high, measured, normal } = this;
    const row = highest.at(i);
    if (lengthOf(row) >= IN_A_ROW && highest.expected(row) <= RARELY / TESTS) return true;
    const long = high.at(i);
    return meanOf(measured.p99, long) > LONG_ROW_TIMES * normal.p99 && high.expected(long) <= RARELY / LONG_ROW_TESTS;
  }
}

interface StayingRule {
  /** At least so many in a row, and as far from usual in all as so many at {@link STAYING_TIMES} are; fewer must be rare. */
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
  /** Whether a few of them take long enough. */
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
 * No less than the probability of `count` events, or any further from `mean`, where `mean` are expected (Chernoff): within a
 * factor of ten for a handful of events, and for millions as well, of which a sum of terms would leave nothing.
 */
const poissonBound = (count: number, mean: number): number =>
  Math.exp(count - mean - (count > 0 ? count * Math.log(count / mean) : 0));
