import type { EventFact } from '../../store/facts/reader.ts';
import { clocks } from './parameters.ts';
import { hasClockOfFile } from './reporters.ts';

/**
 * By how much the clocks of two events may differ, seconds. Two data sources differ by their uncertainty; recorders whose events
 * somebody put into one file, and of which nothing shows that they differ, by the error of one unchecked clock; one clock not at all.
 */
export function clocksApart_s(one: EventFact, other: EventFact): number {
  if (one.source_id !== other.source_id) return Number(one.clock_uncertainty_ns + other.clock_uncertainty_ns) / 1e9;
  const areReporters = one.origin !== other.origin && !hasClockOfFile(one) && !hasClockOfFile(other);
  return areReporters ? clocks.unstatedSeconds : 0;
}
