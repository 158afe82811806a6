import { beforeEach, describe, expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import {
  fitWindow,
  followBounds,
  goBack,
  goForward,
  movePlayhead,
  panFraction,
  resetFocus,
  select,
  setWindow,
  useFocus,
  zoomFraction,
} from '../../src/renderer/state/focus.ts';
import { emptyHistory, type Place, remember, stepBack, stepForward } from '../../src/renderer/state/focus-history.ts';
import { clampWindow, makeWindow, spanOf, zoomAbout } from '../../src/renderer/state/time-window.ts';

const window = (from: number, to: number) => ({
  startNs: nanos(BigInt(from) * 1_000_000_000n),
  endNs: nanos(BigInt(to) * 1_000_000_000n),
});
const place = (from: number, to: number): Place => ({
  window: window(from, to),
  selected: null,
  incident: null,
  entities: [],
});

describe('history', () => {
  test('back and forward visit the same places', () => {
    const history = remember(remember(emptyHistory, place(0, 9), '', 0), place(1, 8), '', 10);
    const back = stepBack(history, place(2, 7));
    expect(back?.place).toEqual(place(1, 8));
    const forward = stepForward(back?.history ?? emptyHistory, place(1, 8));
    expect(forward?.place).toEqual(place(2, 7));
    expect(stepBack(emptyHistory, place(0, 1))).toBeNull();
    expect(stepForward(emptyHistory, place(0, 1))).toBeNull();
  });
  test('one gesture is one place, however many frames it took', () => {
    let history = remember(emptyHistory, place(0, 9), 'window', 0);
    for (let frame = 1; frame < 60; frame++) history = remember(history, place(frame, 9), 'window', frame * 16);
    expect(history.past).toEqual([place(0, 9)]);
    expect(remember(history, place(5, 9), 'window', 5000).past).toHaveLength(2);
  });
  test('a new place clears the forward history', () => {
    const back = stepBack(remember(emptyHistory, place(0, 9), '', 0), place(1, 8));
    expect(remember(back?.history ?? emptyHistory, place(0, 9), '', 1).future).toEqual([]);
  });
});

describe('window', () => {
  const bounds = window(0, 1000);
  test('the window stays at the data and at most a little wider', () => {
    expect(spanOf(clampWindow(window(-90_000, 90_000), bounds))).toBeLessThanOrEqual(1501e9);
    const right = clampWindow(window(5000, 5100), bounds);
    expect(right.startNs).toBeLessThan(bounds.endNs);
    expect(spanOf(clampWindow(makeWindow(nanos(5n), 0), bounds))).toBe(1000);
    // One that is too wide still holds all of the data, wherever it starts.
    for (const start of [-90_000, -1400, 0, 900]) {
      const wide = clampWindow(window(start, start + 5000), bounds);
      expect(wide.startNs).toBeLessThanOrEqual(bounds.startNs);
      expect(wide.endNs).toBeGreaterThanOrEqual(bounds.endNs);
    }
  });
  test('zooming keeps the instant under the cursor in place', () => {
    const zoomed = zoomAbout(window(0, 100), nanos(25_000_000_000n), 0.5);
    expect(zoomed).toEqual({ startNs: nanos(12_500_000_000n), endNs: nanos(62_500_000_000n) });
  });
});

describe('focus', () => {
  beforeEach(() => resetFocus(window(0, 1000)));
  test('selecting a record out of view moves the window there; back returns', () => {
    setWindow(window(0, 100), 'a');
    const before = useFocus.getState().window;
    select('event:7', nanos(500_000_000_000n));
    const { window: now, playhead, selected } = useFocus.getState();
    expect(selected).toBe('event:7');
    expect(playhead).toBe(500_000_000_000n);
    expect(now.startNs <= 500_000_000_000n && now.endNs >= 500_000_000_000n).toBe(true);
    goBack();
    expect(useFocus.getState().window).toEqual(before);
    expect(useFocus.getState().selected).toBeNull();
    goForward();
    expect(useFocus.getState().selected).toBe('event:7');
  });
  test('rows that a capture dated in the future are beyond "fit", but reachable', () => {
    const info = { first_ns: 0n, last_ns: 1_000_000_000_000n, recorded_until_ns: 100_000_000_000n };
    followBounds(info);
    fitWindow();
    const fit = useFocus.getState().window;
    expect(fit.endNs >= 100_000_000_000n && fit.endNs < 110_000_000_000n).toBe(true);
    setWindow(window(900, 1000), 'there');
    expect(useFocus.getState().window).toEqual(window(900, 1000));
    followBounds({ ...info, recorded_until_ns: info.last_ns });
    fitWindow();
    expect(useFocus.getState().window.endNs).toBeGreaterThan(1_000_000_000_000n);
  });
  test('keys zoom around the playhead and pan by fractions of the window', () => {
    setWindow(window(400, 600), 'a');
    select('event:1', nanos(450_000_000_000n));
    zoomFraction(0.5);
    expect(useFocus.getState().window).toEqual(window(425, 525));
    panFraction(0.1);
    expect(useFocus.getState().window).toEqual(window(435, 535));
    movePlayhead(0.01);
    expect(useFocus.getState().playhead).toBe(451_000_000_000n);
  });
});
