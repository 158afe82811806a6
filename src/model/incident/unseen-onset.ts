import { formatUtc, nanos } from '../time.ts';

interface OnsetTimes {
  readonly onset_ns: bigint;
  readonly onset_earliest_ns: bigint;
  /** The measurement before the first anomalous one; where there is none, the first anomalous one itself. */
  readonly previous_ns: bigint;
}

/**
 * Why nobody knows when a service's trouble began: it was not measured before the first bad measurement, or not for so long
 * that the last measurement is of another time. Null where it began between two measurements that tell.
 */
export function unseenOnsetText(service: string, onset: OnsetTimes): string | null {
  const { onset_ns, onset_earliest_ns, previous_ns } = onset;
  const at = (ns: bigint): string => formatUtc(nanos(ns));
  if (previous_ns < onset_earliest_ns)
    return `nothing of ${service} was measured between ${at(previous_ns)} and ${at(onset_ns)}`;
  return previous_ns === onset_ns ? `nothing of ${service} was measured before ${at(onset_ns)}` : null;
}
