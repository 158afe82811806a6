import { median, spread } from '../statistics.ts';
import type { Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** Of a window, what is compared. */
interface Window {
  /** Indexes of its measurements. */
  readonly first: number;
  readonly last: number;
  readonly onset_ns: bigint;
  readonly end_ns: bigint;
  readonly times_worse: number;
  readonly measurements: Pick<Measurements, 'time_ns' | 'throughput' | 'p99' | 'error_rate'>;
}

/**
 * Leaves out short windows that come at regular intervals: a job that saves a checkpoint pauses, a cache that expires is filled
 * again. What happens by the clock all along, equally long and equally bad each time, is how the service works.
 * @param windows of one service, in order of time
 */
export const withoutRegularPauses = <T extends Window>(windows: readonly T[]): T[] =>
  withoutRegularDips(withoutRegularWindows(windows));

function withoutRegularWindows<T extends Window>(windows: readonly T[]): T[] {
  const short = windows.filter(({ first, last }) => last - first < impact.pauseMeasurements);
  if (short.length < impact.regularTimes) return [...windows];
  const period = median(short.slice(1).map((one, i) => seconds(one) - seconds(short[i]!)));
  const sets = short.map((start) =>
    short.filter((one) => isInStep(seconds(one) - seconds(start), period) && isAlike(one, start)),
  );
  const regular = sets.reduce((most, one) => (one.length > most.length ? one : most));
  const isRegular = regular.length >= impact.regularTimes && regular.length >= impact.regularShare * short.length;
  return isRegular && isAllAlong(regular, period) ? windows.filter((one) => !regular.includes(one)) : [...windows];
}

/** From the beginning of the recording to its end: what begins to happen regularly is an incident. */
function isAllAlong(regular: readonly Window[], period: number): boolean {
  const [first, last] = [regular[0]!, regular.at(-1)!];
  const { time_ns } = first.measurements;
  const most = impact.missedPeriods * period;
  const since = (from: bigint, to: bigint): number => Number(to - from) / 1e9;
  return since(time_ns[0]!, first.onset_ns) <= most && since(last.end_ns, time_ns.at(-1)!) <= most;
}

const seconds = ({ onset_ns }: Window): number => secondsOf(onset_ns);

/** Whether a distance is a whole number of periods, both in seconds. */
function isInStep(distance: number, period: number): boolean {
  const periods = distance / period;
  return Math.abs(periods - Math.round(periods)) <= impact.regularTolerance * Math.max(1, Math.abs(periods));
}

/** Whether two windows are about as bad; what is unknown of both is alike. */
function isAlike(a: Window, b: Window): boolean {
  const [mine, theirs] = [Math.log(a.times_worse), Math.log(b.times_worse)];
  return Number.isNaN(mine) ? Number.isNaN(theirs) : Math.abs(mine - theirs) <= Math.log(impact.timesWorse);
}

/** Work that was missing for a short time. */
interface Dip {
  readonly first: number;
  readonly last: number;
  /** In the middle of what is missing. */
  readonly at_s: number;
  /** Missing work, in usual measurements. */
  readonly missing: number;
}

/**
 * The same pauses where only some of them make a window: one that begins in the middle of a measurement lies in two, of which neither
 * lacks half of its work. What is missing is about equal.
 */
function withoutRegularDips<T extends Window>(windows: readonly T[]): T[] {
  const isShort = ({ first, last }: Window): boolean => last - first < impact.pauseMeasurements;
  const [one] = windows.filter(isShort);
  if (!one) return [...windows];
  const { time_ns, throughput } = one.measurements;
  const dips = dipsOf(time_ns, throughput);
  if (dips.length < impact.regularTimes) return [...windows];
  const regular = dips
    .map((dip) => inStepWith(dip, dips))
    .reduce((most, set) => (set.length > most.length ? set : most));
  if (regular.length < impact.regularTimes || regular.length < impact.regularShare * dips.length) return [...windows];
  const most = impact.missedPeriods * periodOf(regular);
  const [begin, end] = [secondsOf(time_ns[0]!), secondsOf(time_ns.at(-1)!)];
  const isAll = regular[0]!.at_s - begin <= most && end - regular.at(-1)!.at_s <= most;
  if (!isAll) return [...windows];
  const isPause = (window: T): boolean =>
    isShort(window) &&
    regular.some(({ first, last }) => window.first >= first && window.last <= last) &&
    hasOnlyLess(window);
  return windows.filter((window) => !isPause(window));
}

/** Whether no request failed or was slow in it: a pause that is worse than the others is none. */
function hasOnlyLess({ first, last, measurements: { p99, error_rate } }: Window): boolean {
  const slow = impact.timesWorse * median(p99);
  for (let i = first; i <= last; i++) if (p99[i]! > slow || error_rate[i]! > impact.errorFloorPercent) return false;
  return true;
}

/** Dips that lack as much as one of them, at whole numbers of their usual distance from it. */
function inStepWith(dip: Dip, dips: readonly Dip[]): Dip[] {
  const alike = dips.filter(
    ({ missing }) => Math.abs(Math.log(missing / dip.missing)) <= Math.log(impact.lastingTimes),
  );
  const period = periodOf(alike);
  return alike.filter(({ at_s }) => isInStep(at_s - dip.at_s, period));
}

/** NaN for fewer than two. */
const periodOf = (dips: readonly Dip[]): number => median(dips.slice(1).map(({ at_s }, i) => at_s - dips[i]!.at_s));

/** Stretches of at most {@link impact.pauseMeasurements} with notably less work than usual. */
function dipsOf(time_ns: readonly bigint[], throughput: Float64Array): Dip[] {
  const rates = [...throughput].filter((rate) => !Number.isNaN(rate));
  const usual = median(rates);
  const least = Math.max(impact.deviations * spread(rates), impact.regularTolerance * usual);
  const dips: Dip[] = [];
  for (let first = 0; first < throughput.length; first++) {
    let [last, missing, moment] = [first, 0, 0];
    while (usual - throughput[last]! > least) {
      const part = 1 - throughput[last]! / usual;
      missing += part;
      moment += part * secondsOf(time_ns[last]!);
      last++;
    }
    if (last === first) continue;
    if (last - first <= impact.pauseMeasurements) dips.push({ first, last: last - 1, at_s: moment / missing, missing });
    first = last;
  }
  return dips;
}

const secondsOf = (nanos: bigint): number => Number(nanos / 1_000_000n) / 1000;
