import { beforeEach, expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import { showView, useCase } from '../../src/renderer/state/case-state.ts';
import { goBack, goForward, resetFocus, setWindow, useFocus } from '../../src/renderer/state/focus.ts';

const window = (from: bigint, to: bigint) => ({
  startNs: nanos(from * 1_000_000_000n),
  endNs: nanos(to * 1_000_000_000n),
});
const view = () => useCase.getState().view;

beforeEach(() => {
  useCase.setState({ phase: 'open', name: 'case', view: 'timeline' });
  resetFocus(window(0n, 100n));
});

test('back goes to the view before, with its window, and forward returns', () => {
  showView('topology');
  setWindow(window(10n, 20n));
  showView('logs');
  goBack();
  expect(view()).toBe('topology');
  expect(useFocus.getState().window).toEqual(window(10n, 20n));
  goBack();
  goBack();
  expect(view()).toBe('timeline');
  goForward();
  goForward();
  goForward();
  expect([view(), useFocus.getState().history.future.length]).toEqual(['logs', 0]);
});

test('a view that is shown again is no place to come back to', () => {
  showView('timeline');
  expect(useFocus.getState().history.past).toEqual([]);
});
