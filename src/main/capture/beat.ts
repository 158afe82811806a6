import { setTimeout } from 'node:timers/promises';
import { steadyNow } from './steady-clock.ts';

/**
 * When polls begin: each a pause after the one before it was due, not after it began, so that what timers and the event loop
 * are late by does not add up (of 2,000 sensors asked each second it was five to ten samples a second). A poll that took
 * longer than the pause is followed at once, and the beat goes on from there: what was missed is not made up for.
 */
export class Beat {
  private due_ms: number;
  private readonly now: () => number;

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

  /** Settles when the next poll is due, or the signal aborts. */
  async rest(pause_ms: number, signal: AbortSignal): Promise<void> {
    const milliseconds = this.next(pause_ms) - this.now();
    await setTimeout(Math.max(0, milliseconds), undefined, { signal }).catch(() => undefined);
  }
}
