import { nanoseconds } from '../../../model/time.ts';
import { median } from '../statistics.ts';
import { impact } from './parameters.ts';

/** Onset of an impact from measurements. */
export interface Onset {
  /** First anomalous measurement. */
  readonly onset_ns: bigint;
  /**
   * Earliest onset: the last normal measurement, so the true onset lies between it and the first anomalous one. After a
   * measurement gap ({@link isUnseen}) it is the first anomalous one, because unmeasured time is not an impact.
   */
  readonly onset_earliest_ns: bigint;
  /** The measurement before the first anomalous one, at any distance; if there is none, the first anomalous one. */
  readonly previous_ns: bigint;
  /** Earliest time of a short event that may have caused it. */
  readonly causes_from_ns: bigint;
}

/** @param first index of the first anomalous measurement */
export function onsetAt(time_ns: readonly bigint[], first: number): Onset {
  const onset_ns = time_ns[first]!;
  const previous_ns = time_ns[first - 1] ?? onset_ns;
  const seen = { onset_ns, onset_earliest_ns: previous_ns, previous_ns, causes_from_ns: previous_ns };
  const doubt_s = Number(onset_ns - previous_ns) / 1e9;
  if (doubt_s <= impact.adjacentSeconds) return seen;
  const longest_s = Math.max(impact.adjacentSeconds, impact.adjacentIntervals * medianInterval(time_ns));
  if (doubt_s <= longest_s) return seen;
  const causes_from_ns = onset_ns - nanoseconds(longest_s);
  return { onset_ns, onset_earliest_ns: onset_ns, previous_ns, causes_from_ns };
}

/** Whether there is a measurement gap before the first anomalous measurement. */
export const isUnseen = ({ previous_ns, onset_earliest_ns }: Onset): boolean => previous_ns < onset_earliest_ns;

/** Seconds. */
export const medianInterval = (time_ns: readonly bigint[]): number =>
  median(time_ns.slice(1).map((time, i) => Number(time - time_ns[i]!) / 1e9));
