// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nanos } from '../../../src/model/time.ts';
import { timeScale } from '../../../src/renderer/draw/canvas/time-scale.ts';
import type { Scene } from '../../../src/renderer/draw/timeline/scene.ts';
import { useFocus } from '../../../src/renderer/state/focus.ts';
import { usePreferences } from '../../../src/renderer/state/preferences.ts';
import { spanOf } from '../../../src/renderer/state/time-window.ts';
import { listenGestures } from '../../../src/renderer/views/timeline/gestures.ts';

const window = { startNs: nanos(0n), endNs: nanos(60_000_000_000n) };
const element = document.createElement('div');
const scroller = document.createElement('div');
let stop: () => void;

beforeEach(() => {
  useFocus.setState({ window, bounds: { startNs: nanos(0n), endNs: nanos(600_000_000_000n) } });
  const none = () => undefined;
  const scene = { scale: timeScale(window.startNs, window.endNs, 600) } as Scene;
  const called = { onHover: none, onLeave: none, onClick: none, onDoubleClick: none, onMenu: () => false };
  stop = listenGestures({ element, scroller, scene: () => scene, ...called });
});
afterEach(() => {
  stop();
  usePreferences.setState({ wheel: 'scroll' });
});

/** Turns the wheel by one notch; returns whether the page may scroll by itself, and the window after it. */
function turn(keys: Partial<WheelEventInit> = {}) {
  const event = new WheelEvent('wheel', { deltaY: 100, cancelable: true, ...keys });
  for (const key of ['ctrlKey', 'shiftKey', 'altKey'] as const)
    Object.defineProperty(event, key, { value: keys[key] ?? false });
  Object.defineProperty(event, 'clientX', { value: 300 });
  Object.defineProperty(event, 'clientY', { value: 10 });
  element.dispatchEvent(event);
  const now = useFocus.getState().window;
  return { scrolls: !event.defaultPrevented, span: Math.round(Number(spanOf(now)) / 1e8) / 10, start: now.startNs };
}

test('the wheel scrolls, Ctrl+wheel zooms by a fifth, Shift+wheel pans', () => {
  expect(turn()).toEqual({ scrolls: true, span: 60, start: 0n });
  const zoomed = turn({ ctrlKey: true });
  expect(zoomed.scrolls).toBe(false);
  expect(zoomed.span / 60).toBeGreaterThan(1.15);
  expect(zoomed.span / 60).toBeLessThan(1.25);
  useFocus.setState({ window });
  const panned = turn({ shiftKey: true });
  expect(panned).toMatchObject({ scrolls: false, span: 60 });
  expect(panned.start).toBeGreaterThan(0n);
});

test('by preference the wheel zooms, and Alt+wheel scrolls', () => {
  usePreferences.setState({ wheel: 'zoom' });
  expect(turn().span).toBeGreaterThan(65);
  useFocus.setState({ window });
  const before = scroller.scrollTop;
  expect(turn({ altKey: true }).span).toBe(60);
  expect(scroller.scrollTop).toBe(before + 100);
});
