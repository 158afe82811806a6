import { setTimeout } from 'node:timers/promises';
import { stalls } from './stalls.ts';
import { steadyNow } from './steady-clock.ts';

/** Shorter gaps are not reported: burst polls are often late by as much when the machine is busy. */
const SHORTEST_GAP_MS = 1000;

/**
 * Start times of polls. Each poll is due one pause after the previous one was due, not after it started, so delays do
 * not add up. If a poll takes longer than the pause, the next one starts at once and the schedule continues from there;
 * missed polls are not repeated.
 */
export class PollSchedule {
  private due_ms: number;
  private readonly now: () => number;
  /** When the last rest ended, and the total stall time of this process until then. */
  private began_ms = performance.now();
  private stalled_ms = stalls.total();

  constructor(now: () => number = steadyNow) {
    this.now = now;
    this.due_ms = now();
  }

  /** Restarts the schedule at this time, so that a longer pause counts in full. */
  from(began_ms: number): void {
    this.due_ms = began_ms;
  }

  /** When the next poll is due (milliseconds of the clock); call once per poll. */
  next(pause_ms: number): number {
    this.due_ms = Math.max(this.due_ms + pause_ms, this.now());
    return this.due_ms;
  }

  /**
   * Resolves when the next poll is due, or when the signal aborts.
   *
   * @param missed as of {@link begins}
   */
  async rest(pause_ms: number, signal: AbortSignal, missed?: (late_ms: number) => void): Promise<void> {
    const milliseconds = Math.max(0, this.next(pause_ms) - this.now());
    await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) this.begins(pause_ms, missed);
  }

  /**
   * Marks the start of a poll that was due one pause after the previous one.
   *
   * @param missed receives how long polls were missed because this process was stalled
   */
  begins(pause_ms: number, missed?: (late_ms: number) => void): void {
    // Not the wall clock: it can be set, and it goes on while the machine sleeps.
    const [began_ms, stalled_ms] = [performance.now(), stalls.total()];
    const late_ms = began_ms - this.began_ms - pause_ms;
    const blocked_ms = stalled_ms - this.stalled_ms;
    [this.began_ms, this.stalled_ms] = [began_ms, stalled_ms];
    // Otherwise the answer took long.
    if (late_ms >= Math.max(pause_ms, SHORTEST_GAP_MS) && blocked_ms >= late_ms / 2) missed?.(late_ms);
  }
}
