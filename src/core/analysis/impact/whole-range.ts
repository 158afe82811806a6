import { nanoseconds } from '../../../model/time.ts';
import { impact } from './parameters.ts';

/** What one recorder, replica or series has of a service. */
export interface RecordedPart {
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  readonly requests: number;
}

/**
 * The time in which all parts of a service are recorded: recorders begin and end apart, and their clocks differ. Before and after it
 * fewer requests are no sign of fewer requests. undefined: there are no parts.
 */
export function wholeRange(
  parts: readonly RecordedPart[],
): { readonly from_ns: bigint; readonly to_ns: bigint } | undefined {
  const total = parts.reduce((sum, { requests }) => sum + requests, 0);
  const large = parts.filter(({ requests }) => requests >= impact.leastPartShare * total);
  if (large.length === 0) return undefined;
  const begin = large.reduce((least, { first_ns }) => (first_ns < least ? first_ns : least), large[0]!.first_ns);
  const end = large.reduce((most, { last_ns }) => (last_ns > most ? last_ns : most), large[0]!.last_ns);
  let [from_ns, to_ns] = [begin, end];
  for (const { first_ns, last_ns } of large) {
    if (first_ns - begin <= nanoseconds(impact.edgeSeconds) && first_ns > from_ns) from_ns = first_ns;
    if (end - last_ns <= nanoseconds(impact.edgeSeconds) && last_ns < to_ns) to_ns = last_ns;
  }
  return { from_ns, to_ns };
}
