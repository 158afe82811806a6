import { steadyNanos as now_ns } from '../steady-clock.ts';

/**
 * Wall-clock times of messages that are stamped with the time since boot. Both clocks run apart by seconds in a month
 * and while a machine sleeps; but what came in while it was waited for was written since the last look, which sets the
 * clock right again and again.
 */
export class BootClock {
  /** When the machine booted, as far as messages bear it out. */
  boot_ns: bigint;
  private checked_ns: bigint | undefined;

  constructor(boot_ns: bigint = now_ns() - process.hrtime.bigint()) {
    this.boot_ns = boot_ns;
  }

  /** There was nothing to read: whatever comes next is written after this. */
  isQuiet(at: bigint = now_ns()): void {
    this.checked_ns = at;
  }

  /** When something was written that has just been read. */
  timeOf(uptime_ns: bigint, read: bigint = now_ns()): bigint {
    const time = this.boot_ns + uptime_ns;
    const earliest = this.checked_ns ?? time;
    const right = time > read ? read : time < earliest ? earliest : time;
    this.boot_ns += right - time;
    return right;
  }
}
