import { setTimeout } from 'node:timers/promises';
import { stalls } from './stalls.ts';
import { steadyNow } from './steady-clock.ts';

/** What is shorter no lane shows: polls of a burst are late by as much whenever the machine has something else to do. */
const SHORTEST_HOLE_MS = 1000;

/**
 * When polls begin: each a pause after the one before it was due, not after it began, so that what timers and the event loop
 * are late by does not add up (of 2,000 sensors asked each second it was five to ten samples a second). A poll that took
 * longer than the pause is followed at once, and the beat goes on from there: what was missed is not made up for.
 */
export class PollSchedule {
  private due_ms: number;
  private readonly now: () => number;
  /** When the last rest ended, and how long this process had been held up by then. */
  private began_ms = performance.now();
  private stalled_ms = stalls.total();

  constructor(now: () => number = steadyNow) {
    this.now = now;
    this.due_ms = now();
  }

  /** What comes next is counted from here: who is asked less often gets the whole of its rest. */
  from(began_ms: number): void {
    this.due_ms = began_ms;
  }

  /** When the next poll is due (milliseconds of the clock), told once a poll. */
  next(pause_ms: number): number {
    this.due_ms = Math.max(this.due_ms + pause_ms, this.now());
    return this.due_ms;
  }

  /**
   * Settles when the next poll is due, or the signal aborts.
   *
   * @param missed as of {@link begins}
   */
  async rest(pause_ms: number, signal: AbortSignal, missed?: (late_ms: number) => void): Promise<void> {
    const milliseconds = Math.max(0, this.next(pause_ms) - this.now());
    await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) this.begins(pause_ms, missed);
  }

  /**
   * A poll begins that was to be a pause after the one before it.
   *
   * @param missed hears for how long polls were due that did not take place, because this process had no time for them
   */
  begins(pause_ms: number, missed?: (late_ms: number) => void): void {
    // Not by the clock, which may be set, and does not stand still while the machine sleeps.
    const [began_ms, stalled_ms] = [performance.now(), stalls.total()];
    const late_ms = began_ms - this.began_ms - pause_ms;
    const blocked_ms = stalled_ms - this.stalled_ms;
    [this.began_ms, this.stalled_ms] = [began_ms, stalled_ms];
    // Else it was the answer that took long.
    if (late_ms >= Math.max(pause_ms, SHORTEST_HOLE_MS) && blocked_ms >= late_ms / 2) missed?.(late_ms);
  }
}
