import { median } from '../statistics.ts';
import { impact } from './parameters.ts';

/** Of a window, what is compared. */
interface Window {
  /** Indexes of its measurements. */
  readonly first: number;
  readonly last: number;
  readonly onset_ns: bigint;
  readonly end_ns: bigint;
  readonly times_worse: number;
  readonly measurements: { readonly time_ns: readonly bigint[] };
}

/**
 * Leaves out short windows that come at regular intervals: a job that saves a checkpoint pauses, a cache that expires is filled
 * again. What happens by the clock all along, equally long and equally bad each time, is how the service works.
 * @param windows of one service, in order of time
 */
export function withoutRegularPauses<T extends Window>(windows: readonly T[]): T[] {
  const short = windows.filter(({ first, last }) => last - first < impact.pauseMeasurements);
  if (short.length < impact.regularTimes) return [...windows];
  const period = median(short.slice(1).map((one, i) => seconds(one) - seconds(short[i]!)));
  const sets = short.map((start) => short.filter((one) => isInStep(one, start, period) && isAlike(one, start)));
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

const seconds = ({ onset_ns }: Window): number => Number(onset_ns / 1_000_000n) / 1000;

/** Whether a whole number of periods lies between two windows. */
function isInStep(one: Window, start: Window, period: number): boolean {
  const periods = (seconds(one) - seconds(start)) / period;
  return Math.abs(periods - Math.round(periods)) <= impact.regularTolerance * Math.max(1, Math.abs(periods));
}

/** Whether two windows are about as bad; what is unknown of both is alike. */
function isAlike(a: Window, b: Window): boolean {
  const [mine, theirs] = [Math.log(a.times_worse), Math.log(b.times_worse)];
  return Number.isNaN(mine) ? Number.isNaN(theirs) : Math.abs(mine - theirs) <= Math.log(impact.timesWorse);
}
