import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LiveCaptureView } from '../../src/model/contract/index.ts';
import { useFocus } from '../../src/renderer/state/focus.ts';
import { useLive } from '../../src/renderer/state/live.ts';
import { beginLiveQuery, liveRowsCame, refreshCountOf, useLiveRefresh } from '../../src/renderer/state/live-refresh.ts';
import { useLaterClock } from '../support/later-clock.ts';

const refreshCount = () => useLiveRefresh.getState().refreshCount;
/** Milliseconds until the next refresh. */
async function nextRefresh(): Promise<number> {
  const [from, before] = [performance.now(), refreshCount()];
  while (refreshCount() === before) await vi.advanceTimersByTimeAsync(10);
  return performance.now() - from;
}

async function runQuery(milliseconds: number): Promise<void> {
  const answered = beginLiveQuery();
  await vi.advanceTimersByTimeAsync(milliseconds);
  answered();
}

beforeEach(async () => {
  useLaterClock();
  vi.stubGlobal('document', { visibilityState: 'visible' });
  useLive.setState({ capture: { phase: 'running' } as LiveCaptureView });
  useFocus.setState({ following: true });
  liveRowsCame(['event']);
  await nextRefresh();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('refreshes once a second with new rows, and every other second without', async () => {
  liveRowsCame(['point']);
  expect(await nextRefresh()).toBeLessThanOrEqual(1010);
  expect(refreshCountOf(useLiveRefresh.getState(), ['point'])).toBe(refreshCount());
  expect(refreshCountOf(useLiveRefresh.getState(), ['event'])).toBe(refreshCount() - 1);
  const idle = await nextRefresh();
  expect(idle).toBeGreaterThan(1500);
  expect(idle).toBeLessThanOrEqual(2010);
});

test('a query delays the refresh until its response, plus twice its duration', async () => {
  await runQuery(1500);
  liveRowsCame(['event']);
  const rest = await nextRefresh();
  expect(rest).toBeGreaterThanOrEqual(3000);
  expect(rest).toBeLessThanOrEqual(3020);
});

test('a query of a view that opened between refreshes adds a pause by its own duration', async () => {
  // The window did not follow, so there was no refresh for five minutes.
  useFocus.setState({ following: false });
  await vi.advanceTimersByTimeAsync(300_000);
  useFocus.setState({ following: true });
  await runQuery(400);
  liveRowsCame(['event']);
  expect(await nextRefresh()).toBeLessThanOrEqual(820);
});

test.each([
  ['looks elsewhere', () => useFocus.setState({ following: false })],
  ['is not seen', () => vi.stubGlobal('document', { visibilityState: 'hidden' })],
  ['has nothing live', () => useLive.setState({ capture: { phase: 'ended' } as LiveCaptureView })],
])('no turn is taken while the window %s', async (_, away) => {
  const before = refreshCount();
  away();
  liveRowsCame(['event']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(refreshCount()).toBe(before);
});
