import type { ClockStep } from '../../model/feed.ts';

/** Corrections that are smaller are what a clock that is kept right has all the time. */
const STEP_MS = 1000;

/** Time that passed, whatever the clock says; while the machine sleeps none passes. */
const passed = (): number => performance.now();

/**
 * This machine's clock as rows are stamped by it and polls are paced: one that is never set back. Where it was set forward, or
 * the machine slept, it goes on from there; where it was set back it goes on as if nothing had happened, and a capture
 * tells its sources to be ahead by so much ({@link ClockSteps}).
 */
class SteadyClock {
  private since_ms = 0;
  private wall_ms = 0;
  private passed_ms = 0;
  /** By how much the machine's clock has been set back. */
  private ahead_ms = 0;

  constructor() {
    this.begin();
  }

  now(): number {
    const [wall, now] = [Date.now(), passed()];
    const step = wall - this.wall_ms - (now - this.passed_ms);
    [this.wall_ms, this.passed_ms] = [wall, now];
    if (step < -STEP_MS) this.ahead_ms -= step;
    const late = wall + this.ahead_ms - (this.since_ms + now);
    if (late > STEP_MS) this.since_ms += late;
    return this.since_ms + now;
  }

  begin(): void {
    [this.wall_ms, this.passed_ms, this.ahead_ms] = [Date.now(), passed(), 0];
    this.since_ms = this.wall_ms - this.passed_ms;
  }
}

const steady = new SteadyClock();

/** Milliseconds since 1970. */
export const steadyNow = (): number => steady.now();
/** Nanoseconds since 1970, to the millisecond. */
export const steadyNanos = (): bigint => BigInt(Math.round(steady.now())) * 1_000_000n;

/** Looks at this machine's clock again and again; each capture has its own, and begins with the clock as it is. */
export class ClockSteps {
  private wall_ms = Date.now();
  private passed_ms = passed();

  constructor() {
    steady.begin();
  }

  /** How the clock was set since this was last asked; null: it was not. */
  next(): ClockStep | null {
    const [wall, now] = [Date.now(), passed()];
    const expected = this.wall_ms + now - this.passed_ms;
    [this.wall_ms, this.passed_ms] = [wall, now];
    if (Math.abs(wall - expected) <= STEP_MS) return null;
    return { from_ns: BigInt(Math.round(expected)) * 1_000_000n, to_ns: BigInt(wall) * 1_000_000n };
  }
}
