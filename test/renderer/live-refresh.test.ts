import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LiveCaptureView } from '../../src/model/contract/index.ts';
import { useFocus } from '../../src/renderer/state/focus.ts';
import { useLive } from '../../src/renderer/state/live.ts';
import { beginLiveQuery, liveRowsCame, refreshCountOf, useLiveRefresh } from '../../src/renderer/state/live-refresh.ts';

const refreshCount = () => useLiveRefresh.getState().refreshCount;
/** Milliseconds until the next turn, waited for. */
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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
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

test('a turn is taken once a second where rows come, and every other second where none do', async () => {
  liveRowsCame(['point']);
  expect(await nextRefresh()).toBeLessThanOrEqual(1010);
  expect(refreshCountOf(useLiveRefresh.getState(), ['point'])).toBe(refreshCount());
  expect(refreshCountOf(useLiveRefresh.getState(), ['event'])).toBe(refreshCount() - 1);
  const idle = await nextRefresh();
  expect(idle).toBeGreaterThan(1500);
  expect(idle).toBeLessThanOrEqual(2010);
});

test('a question holds the turn back until it is answered, and for twice as long as it took', async () => {
  await runQuery(1500);
  liveRowsCame(['event']);
  const rest = await nextRefresh();
  expect(rest).toBeGreaterThanOrEqual(3000);
  expect(rest).toBeLessThanOrEqual(3020);
});

test('what a view asks that was opened long after the last turn rests for what it took itself', async () => {
  // Nobody looked at now: no turn was taken for five minutes.
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
