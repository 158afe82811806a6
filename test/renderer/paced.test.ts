import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paced } from '../../src/renderer/state/paced.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A job of a second that notes when it started, in seconds. */
function job() {
  const began: number[] = [];
  const from = performance.now();
  return {
    began,
    run: async () => {
      began.push((performance.now() - from) / 1000);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    },
  };
}

test('requests during the job or its pause run it once afterwards', async () => {
  const { began, run } = job();
  const request = paced(run, (tookMs) => 2 * tookMs);
  request();
  request();
  await vi.advanceTimersByTimeAsync(1500);
  // During the pause: only the last request counts.
  request();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(began).toEqual([0, 3]);
  request();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(began).toEqual([0, 3, 31.5]);
});

test('runs only on request, and one at a time', async () => {
  const { began, run } = job();
  const ask = paced(run, () => 0);
  await vi.advanceTimersByTimeAsync(5000);
  expect(began).toEqual([]);
  for (let at = 0; at < 40; at++) {
    ask();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(began.map(Math.round)).toEqual([5, 6, 7, 8, 9].slice(0, began.length));
  expect(began.length).toBeGreaterThanOrEqual(4);
});
