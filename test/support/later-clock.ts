import { vi } from 'vitest';

/** More than a process runs, so that the clock of a test is later than the real one of the files before it. */
const HOUR_MS = 3_600_000;
let hours = 3;

/**
 * Fake timers, and a clock that is later than in any test before. Test files share one process, and with it what modules remember of
 * the clock: in one that began anew this would lie in the future.
 */
export function useLaterClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vi.advanceTimersByTime(hours++ * HOUR_MS);
}
