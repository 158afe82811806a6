import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { ClockStep, Running } from '../../model/storage/feed.ts';

/** Smaller corrections are normal for a synchronised clock. */
const STEP_MS = 1000;

/** Monotonic time in milliseconds; it stops while the machine sleeps. */
const passed = (): number => performance.now();

/**
 * Clock for row timestamps and poll times; it never goes back. After a forward step or a sleep it continues from the
 * new time. After a backward step it continues unchanged, and a capture records its sources as ahead by that amount
 * ({@link ClockSteps}).
 */
class SteadyClock {
  private since_ms = 0;
  private wall_ms = 0;
  private passed_ms = 0;
  /** Total of the backward steps of the machine's clock. */
  private ahead_ms = 0;
  /** Total of the forward steps of this clock. */
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
 * Starts to measure a wait. The returned function gives its start and end by the clock at the end: a forward step
 * during the wait counts as before it, so that the midpoint does not lie inside the step.
 */
export function waited(): () => { readonly from_ms: number; readonly to_ms: number } {
  const began_ms = passed();
  return () => {
    const to_ms = steady.now();
    return { from_ms: to_ms - (passed() - began_ms), to_ms };
  };
}

/** Total of the steady clock's forward steps since the process or a capture started. */
export const clockSteps = (): number => steady.steps_ms;

export const machineRuns = (): Running => ({ boot: bootId(), for_ns: process.hrtime.bigint() });

/** Only Linux has an id for each boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Finds clock steps of this machine; each capture has its own instance. */
export class ClockSteps {
  private wall_ms = Date.now();
  private passed_ms = passed();
  private up_ms = uptime() * 1000;

  constructor() {
    steady.begin();
  }

  /** The clock step since the last call, or null. */
  next(): ClockStep | null {
    const [wall, now, up] = [Date.now(), passed(), uptime() * 1000];
    const expected = this.wall_ms + now - this.passed_ms;
    // Uptime continues while a machine sleeps.
    const slept_ms = up - this.up_ms - (now - this.passed_ms);
    [this.wall_ms, this.passed_ms, this.up_ms] = [wall, now, up];
    if (Math.abs(wall - expected) <= STEP_MS) return null;
    const [from_ns, to_ns] = [BigInt(Math.round(expected)) * 1_000_000n, BigInt(wall) * 1_000_000n];
    return { from_ns, to_ns, slept: slept_ms > (wall - expected) / 2 };
  }
}
