import { steadyNanos as now_ns } from '../steady-clock.ts';

/**
 * Wall-clock times of messages that have only a time since boot. The two clocks drift apart by seconds per month, and
 * while a machine sleeps. A message that arrives during a wait was written after the last read, which corrects the
 * offset again and again.
 */
export class BootClock {
  /** When the machine booted, as estimated so far. */
  boot_ns: bigint;
  private checked_ns: bigint | undefined;

  constructor(boot_ns: bigint = now_ns() - process.hrtime.bigint()) {
    this.boot_ns = boot_ns;
  }

  /** Nothing to read: the next message is written after this time. */
  isQuiet(at: bigint = now_ns()): void {
    this.checked_ns = at;
  }

  /** When a message that was just read was written. */
  timeOf(uptime_ns: bigint, read: bigint = now_ns()): bigint {
    const time = this.boot_ns + uptime_ns;
    const earliest = this.checked_ns ?? time;
    const right = time > read ? read : time < earliest ? earliest : time;
    this.boot_ns += right - time;
    return right;
  }
}
