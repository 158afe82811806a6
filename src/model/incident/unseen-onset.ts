import { formatUtc, nanos } from '../time.ts';

export interface OnsetTimes {
  readonly onset_ns: bigint;
  readonly onset_earliest_ns: bigint;
  /** The measurement before the first anomalous one; where there is none, the first anomalous one itself. */
  readonly previous_ns: bigint;
}

/**
 * Reason why an onset is unknown: the service was not measured before the first anomalous measurement, or only long before.
 * Null if the onset is between two adjacent measurements.
 */
export function unseenOnsetText(service: string, onset: OnsetTimes): string | null {
  const { onset_ns, onset_earliest_ns, previous_ns } = onset;
  const at = (ns: bigint): string => formatUtc(nanos(ns));
  if (previous_ns < onset_earliest_ns)
    return `no measurements of ${service} between ${at(previous_ns)} and ${at(onset_ns)}`;
  return previous_ns === onset_ns ? `no measurements of ${service} before ${at(onset_ns)}` : null;
}
