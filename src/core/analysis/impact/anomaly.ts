import { nanoseconds } from '../../../model/time.ts';
import { median, spread } from '../statistics.ts';
import { HighRows, lengthOf, type MeasurementRun, meanOf, runAround, runningCount } from './elevated-runs.ts';
import { firstAtOrAfter, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** Baseline of a service for anomaly detection. */
export interface Normal {
  readonly p30: number;
  readonly p50: number;
  readonly p70: number;
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

/** The steps of a job last equally long: a few of them have as sure a median as many requests. */
export const hasEvenLatencies = ({ p50 }: Measurements): boolean =>
  spread([...p50].filter((value) => !Number.isNaN(value))) <= impact.evenShare * median(p50);

type Middle = Pick<Normal, 'p30' | 'p70'>;

/** Quick and slow requests are mixed in a service: its median lies in either kind, and jumps when their mix shifts by a few per cent. */
const isMixed = ({ p30, p70 }: Middle): boolean => p70 > impact.mixedTimes * p30;

/**
 * Whether a median rose because requests took longer: then the quick ones or the slowest did, too, where these are known. If only the mix
 * of quick and slow ones shifts, neither does.
 */
export const isOfMostRequests = (measured: Measurements, normal: Pick<Normal, 'p30' | 'p95'>, i: number): boolean =>
  Number.isNaN(normal.p30) ||
  measured.p30[i]! > impact.slightlyWorseTimes * normal.p30 ||
  measured.p95[i]! > impact.slightlyWorseTimes * normal.p95;

/** Detects anomalies of a service against `normal`. Totals are computed once. */
export class Anomalies {
  private readonly measured: Measurements;
  private readonly normal: Normal;
  private readonly isEven: boolean;
  private readonly length: number;
  private oddUpTo: Uint32Array | undefined;
  private readonly staying: readonly Staying[];
  private readonly highest: HighRows;
  private readonly high: HighRows;
  private readonly silent: HighRows;

  /** @param isEven as {@link hasEvenLatencies} has it: it reads all measurements, and a service has many baselines */
  constructor(measured: Measurements, normal: Normal, isEven: boolean) {
    this.measured = measured;
    this.isEven = isEven;
    this.normal = normal;
    this.length = measured.time_ns.length;
    const ofFew = (bound: number) => new HighRows(this.length, (i) => this.isOfFew(i) && measured.p99[i]! > bound);
    this.highest = ofFew(Math.max(impact.rowTimes * normal.p99, normal.p99Highest));
    this.high = ofFew(impact.rowTimes * normal.p99);
    this.silent = new HighRows(this.length, (i) => measured.requests[i] === 0);
    this.staying = this.whatMayStay();
  }

  /** Metrics that are anomalous if the increase lasts, alone and with neighbours. */
  private whatMayStay(): Staying[] {
    const { measured, normal, length } = this;
    const isOfMany = (i: number): boolean =>
      (this.isEven || !(measured.requests[i]! < impact.fewForMedian)) && isOfMostRequests(measured, normal, i);
    const isOfVeryMany = (i: number): boolean => !this.isOfFew(i);
    const lasts = ({ first, last }: MeasurementRun): boolean =>
      measured.time_ns[last]! - measured.time_ns[first]! >= nanoseconds(impact.lastingSeconds);
    const stay = (values: Float64Array, normalValue: number, noise: number, rule: StayingRule): Staying => {
      const isRaised = (i: number): boolean => values[i]! > impact.slightlyWorseTimes * normalValue && rule.isKnown(i);
      return { ...rule, values, normalValue, noise: noise || 0, rows: new HighRows(length, isRaised), isRaised, lasts };
    };
    const most = {
      least: impact.lastingIfMost,
      inAll: impact.lastingIfMost,
      isKnown: isOfMany,
      isHabitual: isMixed(normal),
    };
    const slowest = {
      least: impact.lastingIfSlowestLeast,
      inAll: impact.lastingIfSlowest,
      isKnown: isOfVeryMany,
      isHabitual: false,
    };
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
   * that already shows the habit. The expected number of windows with as many anomalies must be below `impact.chanceWindows` per
   * recording.
   * @param known earlier impacts of the service
   */
  isChance({ first, last }: MeasurementRun, known: readonly MeasurementRun[]): boolean {
    let count = 0;
    let isOfFew = true;
    for (let i = first; i <= last; i++) {
      if (this.isSure(i)) return false;
      if (this.isOdd(i)) count++;
      isOfFew &&= this.isOfFew(i) && !this.isStarved(i);
    }
    this.oddUpTo ??= runningCount(this.length, (i) => this.isOdd(i));
    const upTo = this.oddUpTo;
    const before = upTo[first]!;
    // With few requests one impact may be several windows, and what is known to be one is no habit.
    const ofKnown = known.reduce((sum, run) => sum + upTo[run.last + 1]! - upTo[run.first]!, 0);
    const others = upTo[this.length]! - count - ofKnown;
    const places = this.length - [{ first, last }, ...known].reduce((sum, run) => sum + lengthOf(run), 0);
    // One more than observed (rule of succession).
    const rate = isOfFew ? (others + 1) / (places + 1) : before / first;
    const isHabitual = isOfFew || (before >= impact.habitTimes && rate > impact.habitShare);
    return isHabitual && this.length * rate ** count > impact.chanceWindows;
  }

  /**
   * Whether a lasting increase is a drift: right before it the service was already most of the way there. Load that grows over the
   * day is no incident, however significant; what becomes twice as slow or fails is one.
   */
  isDrift({ first, last }: MeasurementRun): boolean {
    for (let i = first; i <= last; i++)
      if (this.isOdd(i) || this.isMostlySlow(i) || this.isFailing(i) || this.isInARow(i)) return false;
    const { measured, normal } = this;
    const from = firstAtOrAfter(measured.time_ns, measured.time_ns[first]! - nanoseconds(impact.driftSeconds));
    const before = Math.max(0, Math.min(from, first - impact.rowLength));
    return (['p50', 'p95', 'p99'] as const).every((field) => {
      const risen = Math.log(median(measured[field].subarray(first, last + 1)) / normal[field]);
      const earlier = Math.log(median(measured[field].subarray(before, first)) / normal[field]);
      return !(risen > Math.log(impact.lastingTimes)) || earlier > impact.driftShare * risen;
    });
  }

  private isOfFew(i: number): boolean {
    return this.measured.requests[i]! < impact.fewRequests;
  }

  private isSlow(i: number): boolean {
    const { measured, normal } = this;
    const p99 = measured.p99[i]!;
    if (!(p99 > impact.timesWorse * normal.p99 && p99 > normal.p99 + impact.deviations * (normal.p99Noise || 0)))
      return false;
    // With few requests the p99 is the slowest one; then the p95, if known, must be raised as well.
    return !this.isOfFew(i) || !(measured.p95[i]! <= impact.fewRequestsP95Times * normal.p95);
  }

  /** Whether most requests took twice as long. */
  private isMostlySlow(i: number): boolean {
    const { measured, normal } = this;
    const p50 = measured.p50[i]!;
    // A single request that waits for a timeout moves a mean.
    if (measured.meanOf || measured.requests[i]! < impact.fewForOneMedian || isMixed(normal)) return false;
    // Where only the upper half is slow, the mix of quick and slow requests has changed.
    if (measured.p30[i]! <= impact.slightlyWorseTimes * normal.p30) return false;
    if (!(p50 > impact.timesWorse * normal.p50 && p50 > normal.p50 + impact.deviations * (normal.p50Noise || 0)))
      return false;
    return !(halfBound(measured.requests[i]!, shareAbove(p50, normal)) > impact.countChance);
  }

  /** Whether significantly more requests failed, in a measurement and adjacent failing ones. */
  private isFailing(i: number): boolean {
    const { error_rate, requests } = this.measured;
    const normalValue = this.normal.error_rate || 0;
    const above = (k: number): boolean => {
      const errors = error_rate[k]!;
      return errors > impact.errorFloorPercent && errors > impact.timesWorse * normalValue;
    };
    const { first, last } = runAround(i, impact.countedTogether, above);
    let [requestCount, failed] = [0, 0];
    for (let k = first; k <= last; k++) {
      requestCount += requests[k]!;
      failed += (requests[k]! * error_rate[k]!) / 100;
    }
    if (last < first || Number.isNaN(requestCount)) return first <= last;
    const expected = (requestCount * Math.max(normalValue, impact.leastNormalErrorPercent)) / 100;
    return failed > expected && poissonBound(Math.round(failed), expected) < impact.countChance;
  }

  /** Whether significantly fewer requests came, in a measurement and adjacent low ones. */
  private isStarved(i: number): boolean {
    const { measured, normal } = this;
    const low = (k: number): boolean => measured.throughput[k]! < normal.throughput / impact.timesWorse;
    const { first, last } = runAround(i, impact.countedTogether, low);
    if (last < first) return false;
    if (this.isSilent(i)) return true;
    const noise = normal.throughputNoise || 0;
    if (!(measured.throughput[i]! < normal.throughput - impact.deviations * noise)) return false;
    // Four requests instead of twelve may be chance; the step rate of a job is no such count.
    const isCount =
      measured.from !== 'gauges' || noise / normal.throughput > impact.leastScatterShare / Math.sqrt(normal.requests);
    if (!isCount || Number.isNaN(normal.requests)) return true;
    const asked = measured.requests.subarray(first, last + 1).reduce((sum, requests) => sum + requests, 0);
    return poissonBound(asked, normal.requests * (last - first + 1)) < impact.countChance;
  }

  /** Whether nothing was asked for several intervals, of a service that is hardly ever left alone for one. */
  private isSilent(i: number): boolean {
    const row = this.silent.at(i);
    const count = lengthOf(row);
    return (
      count >= impact.rowLength &&
      poissonBound(0, this.normal.requests * count) < impact.countChance &&
      this.silent.expectedByOthers(row) <= impact.chanceWindows
    );
  }

  /** Whether a measurement belongs to a run of them in which most requests, or the slowest, took longer than usual. */
  private isSteady(i: number): boolean {
    return this.normal.points >= impact.knownPoints && this.staying.some((staying) => staysRaised(i, staying));
  }

  /** Whether a measurement with few requests belongs to a run of high ones: short and higher than any before, or long. */
  private isInARow(i: number): boolean {
    const { highest, high, measured, normal } = this;
    const row = highest.at(i);
    if (lengthOf(row) >= impact.rowLength && highest.expected(row) <= impact.chanceWindows / impact.rowTests)
      return true;
    const long = high.at(i);
    return (
      meanOf(measured.p99, long) > impact.longRowTimes * normal.p99 &&
      high.expected(long) <= impact.chanceWindows / impact.longRowTests
    );
  }
}

/**
 * A lasting increase below a factor of two is an anomaly, too: consecutive measurements, each slightly worse and together
 * significantly. Fewer suffice if most requests are slower than if only the slowest are.
 */
interface StayingRule {
  /** At least so many consecutive ones; fewer than `inAll` must have its total increase, and be significant. */
  readonly least: number;
  readonly inAll: number;
  /** Whether a measurement rests on enough requests. */
  readonly isKnown: (i: number) => boolean;
  /** Single measurements are often as high: a run must be longer than chance makes it. */
  readonly isHabitual: boolean;
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

function staysRaised(i: number, staying: Staying): boolean {
  const { values, normalValue, noise, least, inAll, lasts, isHabitual, isRaised, rows } = staying;
  const row = runAround(i, impact.lastingReach, isRaised);
  const count = lengthOf(row);
  if (count < least || (count < inAll && !(lasts(row) && rows.expected(row) <= impact.chanceWindows))) return false;
  const others = rows.outside(row);
  const isHabit = others >= impact.habitTimes && others > impact.habitShare * rows.length;
  if ((isHabitual || isHabit) && rows.expectedByOthers(row) > impact.chanceWindows) return false;
  const mean = meanOf(values, row);
  if (count * Math.log(mean / normalValue) < inAll * Math.log(impact.lastingTimes)) return false;
  return (
    mean > impact.lastingTimes * normalValue &&
    (mean - normalValue) * Math.sqrt(count) > impact.lastingDeviations * noise
  );
}

/**
 * Upper bound of the probability of `count` events, or any further from `mean` (Chernoff): within a factor of ten for a handful
 * of events, and also valid for millions, where a sum of terms would underflow.
 */
const poissonBound = (count: number, mean: number): number =>
  Math.exp(count - mean - (count > 0 ? count * Math.log(count / mean) : 0));

/** Upper bound of the probability that half of `count` requests are of a kind of which a `share` below one half usually is (Chernoff). */
const halfBound = (count: number, share: number): number =>
  share >= 0.5 ? 1 : (4 * share * (1 - share)) ** (count / 2);

/** Share of requests that usually take longer, 0 to 1: between known percentiles by the logarithm of the time. NaN: unknown. */
function shareAbove(latency: number, { p50, p70, p95, p99 }: Normal): number {
  const known = [
    [p50, 0.5],
    [p70, 0.3],
    [p95, 0.05],
    [p99, 0.01],
  ] as const;
  const above = known.findIndex(([value]) => !(latency > value));
  if (above < 0) return known.at(-1)![1];
  if (above === 0) return 0.5;
  const [[low, ofLow], [high, ofHigh]] = [known[above - 1]!, known[above]!];
  return ofLow + ((ofHigh - ofLow) * Math.log(latency / low)) / Math.log(high / low);
}
