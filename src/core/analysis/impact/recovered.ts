import { nanoseconds } from '../../../model/time.ts';
import { median } from '../statistics.ts';
import type { ImpactWindow } from './impact.ts';

type Measured = Pick<ImpactWindow, 'measurements' | 'first' | 'last'>;

/** Whether requests as slow as those of the impact, begun then, would have ended after the recording: only quick ones are in it. */
function isTooLate({ measurements, first, last }: Measured, time_ns: bigint): boolean {
  const { last_end_ns, p99 } = measurements;
  const slow_ms = median(p99.subarray(first, last + 1));
  return last_end_ns !== undefined && Number.isFinite(slow_ms) && time_ns + nanoseconds(slow_ms / 1000) > last_end_ns;
}

/** Time of the first normal measurement after the impact; null: none was recorded, so it lasted longer than was measured. */
export function recoveredNs(window: Measured): bigint | null {
  const time_ns = window.measurements.time_ns[window.last + 1];
  return time_ns === undefined || isTooLate(window, time_ns) ? null : time_ns;
}
