import { median } from '../statistics.ts';

/** When a service's trouble began, as far as its measurements tell. */
export interface Onset {
  /** First anomalous measurement. */
  readonly onset_ns: bigint;
  /**
   * The true onset lies between this and the first anomalous measurement: the last normal one. Where nobody measured meanwhile
   * ({@link isUnseen}) it is the first anomalous one itself, for what was not measured is not suffering.
   */
  readonly onset_earliest_ns: bigint;
  /** The measurement before the first anomalous one, however long ago; where there is none, the first anomalous one itself. */
  readonly previous_ns: bigint;
  /** What was over in a moment may have brought it about since then, as if the trouble had begun right after. */
  readonly causes_from_ns: bigint;
}

/**
 * Two measurements of a service lie as far apart as usual, or within an hour, such as those on either side of a feed that died:
 * beyond that they are of two recordings, and when the trouble began between them is not for the second one to say.
 */
const LONGEST_DOUBT_S = 3600;
const TYPICAL_INTERVALS = 3;

/** @param first place of the first anomalous measurement */
export function onsetAt(time_ns: readonly bigint[], first: number): Onset {
  const onset_ns = time_ns[first]!;
  const previous_ns = time_ns[first - 1] ?? onset_ns;
  const seen = { onset_ns, onset_earliest_ns: previous_ns, previous_ns, causes_from_ns: previous_ns };
  const doubt_s = Number(onset_ns - previous_ns) / 1e9;
  if (doubt_s <= LONGEST_DOUBT_S) return seen;
  const longest_s = Math.max(LONGEST_DOUBT_S, TYPICAL_INTERVALS * medianInterval(time_ns));
  if (doubt_s <= longest_s) return seen;
  const causes_from_ns = onset_ns - BigInt(Math.round(longest_s * 1e9));
  return { onset_ns, onset_earliest_ns: onset_ns, previous_ns, causes_from_ns };
}

/** Nothing of the service was measured between the measurement before the trouble and the first of it. */
export const isUnseen = ({ previous_ns, onset_earliest_ns }: Onset): boolean => previous_ns < onset_earliest_ns;

/** Seconds. */
export const medianInterval = (time_ns: readonly bigint[]): number =>
  median(time_ns.slice(1).map((time, i) => Number(time - time_ns[i]!) / 1e9));
