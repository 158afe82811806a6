import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { ClockStep, Running } from '../../model/storage/feed.ts';

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
  /** By how much this clock has been set forward. */
  steps_ms = 0;

  constructor() {
    this.begin();
  }

  now(): number {
    const [wall, now] = [Date.now(), passed()];
    const step = wall - this.wall_ms - (now - this.passed_ms);
    [this.wall_ms, this.passed_ms] = [wall, now];
    if (step < -STEP_MS) this.ahead_ms -= step;
    const late = wall + this.ahead_ms - (this.since_ms + now);
    if (late > STEP_MS) {
      this.since_ms += late;
      this.steps_ms += late;
    }
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

/**
 * Begins to wait for an answer. What is told then is from when until when that was, by the clock as it is then: one that was set
 * forward meanwhile counts as set before, else the middle of the two would lie in the midst of the jump.
 */
export function waited(): () => { readonly from_ms: number; readonly to_ms: number } {
  const began_ms = passed();
  return () => {
    const to_ms = steady.now();
    return { from_ms: to_ms - (passed() - began_ms), to_ms };
  };
}

/** By how much the steady clock was set forward since the process began, or a capture did. */
export const clockSteps = (): number => steady.steps_ms;

export const machineRuns = (): Running => ({ boot: bootId(), for_ns: process.hrtime.bigint() });

/** Linux alone gives each start of a machine a name. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Looks at this machine's clock again and again; each capture has its own, and begins with the clock as it is. */
export class ClockSteps {
  private wall_ms = Date.now();
  private passed_ms = passed();
  private up_ms = uptime() * 1000;

  constructor() {
    steady.begin();
  }

  /** How the clock was set since this was last asked; null: it was not. */
  next(): ClockStep | null {
    const [wall, now, up] = [Date.now(), passed(), uptime() * 1000];
    const expected = this.wall_ms + now - this.passed_ms;
    // While a machine sleeps its uptime goes on.
    const slept_ms = up - this.up_ms - (now - this.passed_ms);
    [this.wall_ms, this.passed_ms, this.up_ms] = [wall, now, up];
    if (Math.abs(wall - expected) <= STEP_MS) return null;
    const [from_ns, to_ns] = [BigInt(Math.round(expected)) * 1_000_000n, BigInt(wall) * 1_000_000n];
    return { from_ns, to_ns, slept: slept_ms > (wall - expected) / 2 };
  }
}
