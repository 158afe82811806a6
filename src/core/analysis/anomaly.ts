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
 * Less than twice is an anomaly, too, when it stays: measurements in a row, each so many times its usual value and all of them
 * together {@link STAYING_TIMES} times, which is {@link STAYING_DEVIATIONS} robust deviations of such a mean. Two of them do
 * where most requests are slower, five where only the slowest are; more than eight to either side are not looked at.
 */
const RAISED_TIMES = 1.15;
const STAYING_TIMES = 1.25;
const STAYING_DEVIATIONS = 8;
const MOST_REQUESTS_STAY = 2;
const SLOWEST_STAY = 5;
const STAYING_REACH = 8;
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
/** Who was slow, or rarely asked, so often, and in more than this share of measurements, is so as a habit. */
const HABIT = { times: 3, share: 0.05 };
/** Below this many, a median is a handful of requests. */
const FEW_FOR_MEDIAN = 20;
/** Half of twenty requests take twice as long on many a day, where durations spread; half of forty hardly ever. */
const FEW_FOR_ONE_MEDIAN = 40;
/** One failed request of fifty is chance, not an incident: rarer than this among thousands of intervals looked at. */
const CHANCE = 1e-6;
/** Even a service without a single error so far is granted this rate, percent. */
const USUAL_ERRORS_AT_LEAST = 0.2;
/** Neighbours whose errors are counted together, to either side: of few requests each proves little by itself. */
const COUNTED_TOGETHER = 5;
/** What counts requests scatters as their number does, by the square root of it, or more; what scatters by half of that counts none. */
const LEAST_SCATTER = 0.5;
const NOWHERE: Stretch = { first: 0, last: -1 };

/** Tells what of a service is not normal; `normal` is what is. Totals are counted once, whatever is asked. */
export class Anomalies {
  private readonly measured: Measurements;
  private readonly normal: Normal;
  private readonly length: number;
  private oddUpTo: Uint32Array | undefined;
  private highInAll: number | undefined;
  private lastHighRun: Stretch = NOWHERE;

  constructor(measured: Measurements, normal: Normal) {
    this.measured = measured;
    this.normal = normal;
    this.length = measured.time_ns.length;
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
  isChance({ first, last }: Stretch): boolean {
    let count = 0;
    let isOfFew = true;
    for (let i = first; i <= last; i++) {
      if (this.isSure(i)) return false;
      if (this.isOdd(i)) count++;
      isOfFew &&= this.isOfFew(i) && !this.isStarved(i);
    }
    this.oddUpTo ??= runningCount(this.length, (i) => this.isOdd(i));
    const before = this.oddUpTo[first] as number;
    const others = (this.oddUpTo[this.length] as number) - count;
    // One more than was seen: what was never seen is not impossible.
    const rate = isOfFew ? (others + 1) / (this.length - (last - first + 1) + 1) : before / first;
    const isUsual = isOfFew || (before >= HABIT.times && rate > HABIT.share);
    return isUsual && this.length * rate ** count > RARELY;
  }

  private isOfFew(i: number): boolean {
    return (this.measured.requests[i] as number) < FEW_REQUESTS;
  }

  private isSlow(i: number): boolean {
    const { measured, normal } = this;
    const p99 = measured.p99[i] as number;
    if (!(p99 > TIMES_WORSE * normal.p99 && p99 > normal.p99 + DEVIATIONS * (normal.p99Noise || 0))) return false;
    // Of few requests the p99 is the slowest single one; then the p95, where it is known, must have moved as well.
    return !this.isOfFew(i) || !((measured.p95[i] as number) <= SMALL_SAMPLE_P95 * normal.p95);
  }

  /** Whether most requests took twice as long. */
  private isMostlySlow(i: number): boolean {
    const { measured, normal } = this;
    const p50 = measured.p50[i] as number;
    if ((measured.requests[i] as number) < FEW_FOR_ONE_MEDIAN) return false;
    return p50 > TIMES_WORSE * normal.p50 && p50 > normal.p50 + DEVIATIONS * (normal.p50Noise || 0);
  }

  /** Whether more requests failed than chance would have it, in a measurement and the failing ones around it. */
  private isFailing(i: number): boolean {
    const { error_rate, requests } = this.measured;
    const usual = this.normal.error_rate || 0;
    const above = (k: number): boolean => {
      const errors = error_rate[k] as number;
      return errors > ERROR_FLOOR_PERCENT && errors > TIMES_WORSE * usual;
    };
    const { first, last } = runAround(i, COUNTED_TOGETHER, above);
    let [asked, failed] = [0, 0];
    for (let k = first; k <= last; k++) {
      asked += requests[k] as number;
      failed += ((requests[k] as number) * (error_rate[k] as number)) / 100;
    }
    if (last < first || Number.isNaN(asked)) return first <= last;
    const expected = (asked * Math.max(usual, USUAL_ERRORS_AT_LEAST)) / 100;
    return failed > expected && poissonBound(Math.round(failed), expected) < CHANCE;
  }

  /** Whether fewer requests came than chance would have it, in a measurement and the low ones around it. */
  private isStarved(i: number): boolean {
    const { measured, normal } = this;
    const low = (k: number): boolean => (measured.throughput[k] as number) < normal.throughput / TIMES_WORSE;
    const { first, last } = runAround(i, COUNTED_TOGETHER, low);
    if (last < first) return false;
    const noise = normal.throughputNoise || 0;
    if (!((measured.throughput[i] as number) < normal.throughput - DEVIATIONS * noise)) return false;
    // Where four requests come instead of twelve, chance may have sent eight elsewhere; a job's rate of steps is no such count.
    const isCount =
      measured.from !== 'gauges' || noise / normal.throughput > LEAST_SCATTER / Math.sqrt(normal.requests);
    if (!isCount || Number.isNaN(normal.requests)) return true;
    const asked = measured.requests.subarray(first, last + 1).reduce((sum, requests) => sum + requests, 0);
    return poissonBound(asked, normal.requests * (last - first + 1)) < CHANCE;
  }

  /** Whether a measurement belongs to a run of them in which most requests, or the slowest, took longer than usual. */
  private isSteady(i: number): boolean {
    const { measured, normal } = this;
    if (normal.points < KNOWN_POINTS) return false;
    const isOfMany = (k: number): boolean => !((measured.requests[k] as number) < FEW_FOR_MEDIAN);
    const isOfVeryMany = (k: number): boolean => !this.isOfFew(k);
    return (
      staysRaised(measured.p50, i, {
        ...{ usual: normal.p50, noise: normal.p50Noise },
        ...{ least: MOST_REQUESTS_STAY, isKnown: isOfMany },
      }) ||
      staysRaised(measured.p95, i, {
        ...{ usual: normal.p95, noise: normal.p95Noise },
        ...{ least: SLOWEST_STAY, isKnown: isOfVeryMany },
      }) ||
      staysRaised(measured.p99, i, {
        ...{ usual: normal.p99, noise: normal.p99Noise },
        ...{ least: SLOWEST_STAY, isKnown: isOfVeryMany },
      })
    );
  }

  /**
   * Whether a measurement of few requests belongs to a run of high ones that chance would hardly make: had all of the high ones
   * of the recording fallen anywhere, so many would hardly ever lie side by side.
   */
  private isInARow(i: number): boolean {
    const high = (k: number): boolean => this.isHigh(k);
    if (!high(i)) return false;
    const known = i >= this.lastHighRun.first && i <= this.lastHighRun.last;
    const run = known ? this.lastHighRun : runAround(i, Number.POSITIVE_INFINITY, high);
    this.lastHighRun = run;
    const count = run.last - run.first + 1;
    if (count < IN_A_ROW) return false;
    this.highInAll ??= runningCount(this.length, high)[this.length] as number;
    return this.length * (this.highInAll / this.length) ** count <= RARELY / TESTS;
  }

  /** Of few requests, slower than any measurement before. */
  private isHigh(i: number): boolean {
    const { p99, p99Highest } = this.normal;
    const value = this.measured.p99[i] as number;
    return this.isOfFew(i) && value > ROW_TIMES * p99 && value > p99Highest;
  }
}

/** Of how many of the first so many something holds: none of none, up to all of all. */
function runningCount(length: number, holds: (i: number) => boolean): Uint32Array {
  const counts = new Uint32Array(length + 1);
  for (let i = 0; i < length; i++) counts[i + 1] = (counts[i] as number) + Number(holds(i));
  return counts;
}

interface Staying {
  readonly usual: number;
  readonly noise: number;
  /** So many in a row. */
  readonly least: number;
  /** Whether a measurement rests on enough requests. */
  readonly isKnown: (k: number) => boolean;
}

function staysRaised(values: Float64Array, i: number, { usual, noise, least, isKnown }: Staying): boolean {
  const raised = (k: number): boolean => (values[k] as number) > RAISED_TIMES * usual && isKnown(k);
  const { first, last } = runAround(i, STAYING_REACH, raised);
  const count = last - first + 1;
  if (count < least) return false;
  const mean = values.subarray(first, last + 1).reduce((sum, value) => sum + value, 0) / count;
  return mean > STAYING_TIMES * usual && (mean - usual) * Math.sqrt(count) > STAYING_DEVIATIONS * (noise || 0);
}

/** The measurements around one of which something holds, so many to either side at most; none where it does not hold there. */
function runAround(i: number, reach: number, holds: (k: number) => boolean): Stretch {
  if (!holds(i)) return NOWHERE;
  let [first, last] = [i, i];
  while (i - first < reach && holds(first - 1)) first--;
  while (last - i < reach && holds(last + 1)) last++;
  return { first, last };
}

/**
 * No less than the probability of `count` events, or any further from `mean`, where `mean` are expected (Chernoff): within a
 * factor of ten for a handful of events, and for millions as well, of which a sum of terms would leave nothing.
 */
const poissonBound = (count: number, mean: number): number =>
  Math.exp(count - mean - (count > 0 ? count * Math.log(count / mean) : 0));
